import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { THEMES, type Theme, Visit } from '#tests/helpers/browser'
import { Dossier } from '#tests/fixtures/conflicts'

test.group('Concurrent editors, in a browser', (group) => {
  let jo: AdminUser
  let dossier: Dossier
  group.setup(() => leaveModels('Dossier'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await Dossier.query().delete()
    jo = await makeUser('jo')
    dossier = await Dossier.create({ title: 'Old', pages: 5, isOpen: false })
  })

  /** Opens the form, changes the record as another user, and saves. */
  async function collide(how: { theme?: Theme; javaScript?: boolean } = {}) {
    const visit = await Visit.begin({ as: jo, ...how })
    const row = Dossier.query().where('id', dossier.id)
    await row.update({ title: 'Old', pages: 5 })
    await visit.page.goto(`/admin/Dossier/update/${dossier.id}`)
    await Dossier.query().where('id', dossier.id).update({ title: 'Hers', stage: 1280, pages: 9 })
    await visit.page.getByLabel('Title').fill('His')
    await visit.page.getByLabel('Is open').check()
    await visit.page.getByRole('button', { name: 'Save changes' }).click()
    await visit.page.getByText('Another user has changed this record').waitFor()
    return visit
  }

  const title = async () => {
    const { title: stored } = await Dossier.findOrFail(dossier.id)
    return stored
  }

  for (const javaScript of [true, false]) {
    const how = javaScript ? 'with htmx' : 'without JavaScript'

    test(`[R15, B24] the second editor sees both versions and saves one of them, ${how}`, async ({
      assert,
    }) => {
      const { page } = await collide({ javaScript })
      assert.equal(await title(), 'Hers')
      const requested = page.getByRole('group', { name: 'Title' })
      assert.match((await requested.textContent())!, /Old\s.*Hers/s)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      assert.equal(await title(), 'Hers', 'saved without a choice')
      await requested.getByRole('radio', { name: 'Your version' }).check()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL('**/admin/Dossier/')
      const saved = await Dossier.findOrFail(dossier.id)
      assert.deepEqual([saved.title, saved.pages, Boolean(saved.isOpen)], ['His', 9, true])
    })

    test(`[B25, B24] the second editor can discard their own input and open the current record, ${how}`, async ({
      assert,
    }) => {
      const { page } = await collide({ javaScript })
      page.on('dialog', (dialog) => dialog.accept())
      await page.getByRole('link', { name: 'Keep the record as it is now' }).click()
      await page.waitForURL(`**/admin/Dossier/update/${dossier.id}`)
      await page.getByRole('button', { name: 'Save changes' }).waitFor()
      assert.equal(await page.getByLabel('Title').inputValue(), 'Hers')
      assert.equal(await title(), 'Hers')
    })
  }

  test('[B25] the message about a conflict is scrolled into view and announced', async ({
    assert,
  }) => {
    const { page } = await collide()
    await page.waitForFunction(`document.activeElement.matches('[role="alert"]')`)
    const top: number = await page.evaluate(
      `document.querySelector('.conflict-notice').getBoundingClientRect().top`
    )
    assert.isAtLeast(top, 0)
    assert.isBelow(top, 400)
  })

  test('[R15] the values that the user selects on the conflict page are saved', async ({
    assert,
  }) => {
    const { page } = await collide()
    await page.getByLabel('The record now').check()
    await page.getByLabel('Title').last().fill('Ours')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/admin/Dossier/')
    assert.equal(await title(), 'Ours')
  })

  test('[B25] the conflict page is accessible and fits every screen in the {$self}')
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const visit = await collide({ theme })
      await visit.page.getByText('All other fields').click()
      for (const width of [1280, 360]) {
        await visit.page.setViewportSize({ width, height: 800 })
        /* Elements half below the top bar would count as too small. */
        await visit.page.evaluate('scrollTo(0, 0)')
        assert.equal(await visit.overflow(), 0)
        assert.deepEqual(visit.violations, [])
        assert.deepEqual(await visit.accessibilityErrors({ resized: width < 1280 }), [])
      }
    })
})
