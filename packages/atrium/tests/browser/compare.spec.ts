import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Machine } from '#tests/fixtures/forms'
import { Shelf } from '#tests/fixtures/undo'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { emptyEventTables } from '#tests/helpers/logged_events'

test.group('Comparison of records, in a browser', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await db.from('undo_shelves').delete()
  })

  test(
    '[G compare] two selected records, and two versions of a record, can be compared on a phone: {$self}'
  )
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const shelf = await Shelf.create({ name: `Novels ${'long'.repeat(15)}`, floor: 1 })
      await Shelf.create({ name: 'Poems', floor: 1 })
      await shelf.merge({ name: 'Plays' }).save()
      const visit = await Visit.begin({ as: await makeUser('ada'), theme, width: 360 })
      const { page } = visit
      const check = async () => {
        assert.isAtMost(await visit.overflow(), 0)
        assert.deepEqual(await visit.accessibilityErrors(), [])
      }
      await page.goto('/admin/Shelf/')
      const boxes = page.locator('input[name="ids"]')
      const compare = page.getByRole('button', { name: 'Compare' })
      await boxes.nth(0).check()
      assert.isTrue(await compare.isDisabled())
      await boxes.nth(1).check()
      await compare.click()
      await page.getByText('1 difference in').waitFor()
      await check()
      await page.getByRole('link', { name: 'Show only differences' }).click()
      assert.equal(await page.getByRole('rowheader').count(), 1)
      await page.getByRole('link', { name: 'Plays' }).click()
      await page.getByRole('link', { name: 'History' }).click()
      await page
        .getByRole('checkbox', { name: /for a comparison/ })
        .nth(0)
        .check()
      await page
        .getByRole('checkbox', { name: /for a comparison/ })
        .nth(1)
        .check()
      await check()
      await page.getByRole('button', { name: 'Compare versions' }).click()
      await page.getByText('1 difference in').waitFor()
      await check()
      assert.deepEqual(visit.errors, [])
    })

  test('[G compare] the mark of a boolean is on the line of its word', async ({
    assert,
    cleanup,
  }) => {
    cleanup(async () => void (await Machine.query().delete()))
    const machines = await Machine.createMany([{ name: 'Loom' }, { name: 'Lathe' }])
    const visit = await Visit.begin({ as: await makeUser('ada'), width: 1280 })
    const { page } = visit
    await page.goto(`/admin/Machine/compare?${machines.map(({ id }) => `ids=${id}`).join('&')}`)
    const rows = page.getByRole('row')
    const height = async (name: string) =>
      (await rows.filter({ hasText: name }).boundingBox())!.height
    assert.equal(await height('Active'), await height('Nickname'))
  })
})
