import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Booth, Fair, Sponsor, TABLES } from '#tests/fixtures/fairs'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'

test.group('Rows with widgets, in a browser', (group) => {
  let fair: Fair

  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    fair = await Fair.create({ title: 'May' })
    await Sponsor.createMany(
      Array.from({ length: 24 }, (_, index) => ({ name: `Sponsor ${index + 10}` }))
    )
    await Booth.create({ fairId: fair.id, title: 'Nuts', slug: 'nuts', place: 1 })
  })

  test('[R2, R3, R10] an added inline row has the widgets of its fields, and its unsaved input is restored', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto(`/admin/Fair/update/${fair.id}`)
    const booths = page.getByRole('region', { name: 'Booths' })
    const row = booths.locator('.inline-row').nth(1)
    await booths.getByRole('button', { name: 'Add booth' }).click()
    await row.getByLabel('Title').fill('Fine Jam')
    const tags = row.locator('.tags-input')
    await tags.pressSequentially('red,hot,')
    await booths.getByRole('button', { name: 'Move row 2 up' }).click()
    const helpers = page.getByRole('group', { name: 'Helpers' })
    const search = helpers.getByRole('combobox')
    await search.fill('sponsor 12')
    await helpers.getByRole('option', { name: 'Sponsor 12' }).click()

    const sponsors = page.getByRole('group', { name: 'Sponsors' })
    await sponsors.getByRole('button', { name: 'Add a row' }).click()
    const sponsor = sponsors.getByRole('row').nth(2)
    await sponsor.getByRole('combobox').selectOption('Sponsor 15')
    await sponsor.getByLabel('Amount').fill('20')

    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('could not be reached').waitFor()
    await page.context().setOffline(false)
    await page.evaluate(`document.getElementById('record-form').removeAttribute('data-is-unsaved')`)
    await page.reload()
    await page.getByRole('button', { name: 'Restore' }).click()
    const first = booths.locator('.inline-row').first()
    assert.equal(await first.getByLabel('Title').inputValue(), 'Fine Jam')
    assert.deepEqual(await first.locator('.tag').allInnerTexts(), ['red', 'hot'])
    assert.deepEqual(await helpers.getByRole('listitem').allTextContents(), ['Sponsor 12'])
    assert.equal(await sponsor.getByLabel('Amount').inputValue(), '20')
    assert.isFalse(await page.getByRole('button', { name: 'Restore' }).isVisible())
    assert.deepEqual(await visit.accessibilityErrors(), [])

    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/Fair\/(\?.*)?$/)
    const stored = await Booth.query().orderBy('place')
    assert.deepEqual(
      stored.map(({ title, slug }) => [title, slug]),
      [
        ['Fine Jam', 'fine-jam'],
        ['Nuts', 'nuts'],
      ]
    )
    assert.lengthOf(await db.from('fair_helpers'), 1)
    const pairs = await db.from('fair_sponsors')
    assert.deepEqual(
      pairs.map(({ amount }) => Number(amount)),
      [20]
    )
  })
})
