import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Consignment, Parcel, TABLES } from '#tests/fixtures/depots'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'

test.group('Totals of inline rows, in a browser', () => {
  test('[G5.5] totals are updated while the user types, exact to the last digit, and when rows are added or removed', async ({
    assert,
  }) => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    const { id } = await Consignment.create({ title: 'Box', state: 'open' })
    await Parcel.create({ consignmentId: id, content: 'Pens', price: '0.10', weight: 4 })
    await Parcel.create({ consignmentId: id, content: 'Ink', price: '0.22', weight: 1500 })
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto(`/admin/Consignment/update/${id}`)
    const parcels = page.getByRole('region', { name: 'Parcels' })
    const totals = parcels.locator('.inline-totals')
    const shown = (of: string) => totals.locator(`[data-of="${of}"] b`).innerText()

    assert.equal(await shown('sum'), '0.32')
    assert.isFalse(await totals.getByText('Of the saved rows').isVisible())
    assert.isTrue(await totals.getByText('Average (saved)').isVisible())
    await parcels.getByLabel('Price, row 1').fill('90,071,992,547,409.93')
    assert.equal(await shown('sum'), '90,071,992,547,410.15')
    await parcels.getByRole('button', { name: 'Remove, 2' }).click()
    assert.equal(await shown('sum'), '90,071,992,547,409.93')
    assert.equal(await shown('max'), '4')
    await parcels.getByRole('button', { name: 'Add parcel' }).click()
    await parcels.getByLabel('Price, row 3').fill('-90,071,992,547,410')
    assert.equal(await shown('sum'), '-0.07')
    await parcels.getByLabel('Price, row 1').fill('')
    await parcels.getByLabel('Price, row 3').fill('')
    assert.equal(await shown('sum'), '–')
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await page.setViewportSize({ width: 360, height: 800 })
    assert.isAtMost(await visit.overflow(), 0)
    assert.deepEqual(visit.errors, [])
  })
})
