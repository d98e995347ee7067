import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Hymn, Psalter, TABLES } from '#tests/fixtures/order'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'

async function names(): Promise<string> {
  const rows = await db.from('order_hymns').orderBy('position')
  return rows.map(({ name }) => name).join('')
}

test.group('Order of rows, in a browser', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
  })

  test('[order] rows can be dragged, and moved by keys or in a dialog: {$self}')
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      for (const name of 'abcde') await Hymn.create({ name })
      const visit = await Visit.begin({ as: await makeUser('ada'), theme })
      const { page } = visit
      const handle = (name: string) => page.getByRole('link', { name: `Move ${name}` })
      const told = async (name: string) => {
        const toast = page.locator('.flash-message', { hasText: `${name} moved` })
        await toast.waitFor()
        await toast.evaluate((one) => one.closest('.toast')!.remove())
      }
      await page.goto('/admin/Hymn/')
      await handle('d').hover()
      const from = (await handle('d').boundingBox())!
      const to = (await handle('b').boundingBox())!
      await page.mouse.move(from.x + 5, from.y + 5)
      await page.mouse.down()
      await page.mouse.move(to.x + 5, to.y + 40, { steps: 4 })
      await page.mouse.move(to.x + 5, to.y - 4, { steps: 4 })
      await page.mouse.up()
      await told('d')
      assert.equal(await names(), 'adbce')

      await handle('d').focus()
      await page.keyboard.press('Alt+ArrowDown')
      await told('d')
      assert.equal(await names(), 'abdce')
      assert.equal(await page.locator(':focus').getAttribute('aria-label'), 'Move d')

      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Move d' })
      await dialog.waitFor()
      assert.deepEqual(await visit.accessibilityErrors(), [])
      await dialog.getByRole('button', { name: 'Move to top' }).click()
      await told('d')
      assert.equal(await names(), 'dabce')
      await page.setViewportSize({ width: 360, height: 700 })
      assert.isAtMost(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
      assert.deepEqual(visit.errors, [])
    })

  test('[order] rows of a form can be dragged by their number', async ({ assert }) => {
    const psalter = await Psalter.create({ name: 'Genevan' })
    for (const name of 'abc') await Hymn.create({ name, psalterId: psalter.id })
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto(`/admin/Psalter/update/${psalter.id}`)
    const number = (index: number) => page.locator('.inline-number').nth(index)
    await page.getByRole('button', { name: 'Move row 1 down' }).first().waitFor()
    const from = (await number(2).boundingBox())!
    const to = (await number(0).boundingBox())!
    await page.mouse.move(from.x + 3, from.y + 3)
    await page.mouse.down()
    await page.mouse.move(to.x + 3, to.y + 2, { steps: 6 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('.flash-message', { hasText: 'updated' }).waitFor()
    assert.equal(await names(), 'cab')
    assert.deepEqual(visit.errors, [])
  })
})
