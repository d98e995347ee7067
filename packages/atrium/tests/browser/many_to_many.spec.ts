import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { Revue, RevueArtist, TABLES } from '#tests/fixtures/revues'

test.group('A many-to-many field, in a browser', () => {
  test('[R3] the keyboard alone finds records, shows them as chips and removes them', async ({
    assert,
  }) => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    const revue = await Revue.create({ title: 'Follies' })
    const artists = await RevueArtist.createMany(
      [...Array.from({ length: 24 }, (_, index) => `Dancer ${index + 10}`), 'Ann', 'Bob'].map(
        (name) => ({ name, town: 'east' })
      )
    )
    const idOf = (name: string) => artists.find((one) => one.name === name)!.id
    await db
      .table('revue_people')
      .multiInsert(['Ann', 'Bob'].map((name) => ({ revue_id: revue.id, artist_id: idOf(name) })))
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto(`/admin/Revue/update/${revue.id}`)
    const cast = page.getByRole('group', { name: 'Cast' })
    const chips = cast.getByRole('listitem')
    const search = cast.getByRole('combobox', { name: 'Add to Cast' })
    assert.deepEqual(await chips.allTextContents(), ['Ann', 'Bob'])

    await search.focus()
    await page.keyboard.type('dancer 12')
    await cast.getByRole('option', { name: 'Dancer 12' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await chips.nth(2).waitFor()
    assert.equal(await search.inputValue(), '')
    await page.keyboard.type('dancer 12')
    const again = cast.getByRole('option', { name: 'Dancer 12' })
    await again.waitFor()
    assert.equal(await again.getAttribute('aria-selected'), 'true')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    const remove = cast.getByRole('button', { name: 'Remove Ann' })
    assert.isTrue(await remove.evaluate((button) => button === button.ownerDocument.activeElement))
    await page.keyboard.press('Enter')
    assert.deepEqual(await chips.allTextContents(), ['Bob', 'Dancer 12'])
    assert.equal(await cast.getByRole('status').last().textContent(), 'Ann removed')
    const next = cast.getByRole('button', { name: 'Remove Bob' })
    assert.isTrue(await next.evaluate((button) => button === button.ownerDocument.activeElement))

    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      assert.isAtMost(await visit.overflow(), 0, String(width))
    }
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL('**/admin/Revue/')
    const rows = await db.from('revue_people').orderBy('artist_id')
    assert.deepEqual(
      rows.map((row) => row.artist_id),
      [idOf('Dancer 12'), idOf('Bob')].toSorted((one, other) => one - other)
    )
    assert.deepEqual(visit.errors, [])
  })
})
