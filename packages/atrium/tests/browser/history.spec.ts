import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Shelf } from '#tests/fixtures/undo'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { emptyEventTables } from '#tests/helpers/logged_events'

/* Wider than a phone */
const LONG = `Novels ${'long'.repeat(15)}`

test.group('The history of a record, in a browser', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await db.from('undo_shelves').delete()
  })

  test(
    '[R8, R9] the form links to the history, the history to a version, and the version back to the form: {$self}'
  )
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const shelf = await Shelf.create({ name: LONG, floor: 1 })
      await shelf.merge({ name: 'Poems', floor: 2 }).save()
      const visit = await Visit.begin({ as: await makeUser('ada'), theme, width: 360 })
      const { page } = visit
      const check = async () => {
        assert.isAtMost(await visit.overflow(), 0)
        assert.deepEqual(await visit.accessibilityErrors(), [])
      }
      await page.goto(`/admin/Shelf/update/${shelf.id}`)
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByRole('heading', { level: 1, name: 'History of Poems' }).waitFor()
      await page.getByText('Changed: Name, Floor').waitFor()
      await check()
      await page.getByRole('link', { name: 'Show this version' }).last().click()
      await page.getByRole('checkbox', { name: 'Name to be restored' }).check()
      await check()
      await page.getByRole('button', { name: 'Restore the ticked fields' }).click()
      await page.getByText('Different from the current record: Name.').waitFor()
      await check()
      const name = page.getByRole('textbox', { name: 'Name' })
      assert.equal(await name.inputValue(), LONG)
      assert.equal(await page.getByRole('textbox', { name: 'Floor' }).inputValue(), '2')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.locator('.flash-message', { hasText: 'updated' }).waitFor()
      const { floor, name: stored } = await db.from('undo_shelves').firstOrFail()
      assert.deepEqual([stored, floor], [LONG, 2])
      assert.deepEqual(visit.errors, [])
    })
})
