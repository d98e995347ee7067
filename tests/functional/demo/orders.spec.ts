/*
 * The shop of the demo: an order is saved with its lines.
 */
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { adminPath } from 'adonis-atrium/testing'
import Customer from '#models/customer'
import Order from '#models/order'
import type Product from '#models/product'
import { ProductFactory } from '#database/factories/product_factory'

const TABLES = ['order_lines', 'orders', 'customers', 'products']

test.group('Orders of the demo', (group) => {
  group.tap((one) => one.tags(['@database']))
  let customer: Customer
  let products: Product[]

  group.each.setup(async () => {
    const empty = async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
    await empty()
    customer = await Customer.create({ name: 'Hana Kobayashi', email: 'hana@example.com' })
    products = await ProductFactory.createMany(2)
    return empty
  })

  const head = () => ({
    number: 'SO-1',
    customer_id: customer.id,
    ordered_on: '2026-11-23',
    status: 'draft',
  })
  const common = () => ({ customerId: customer.id, orderedOn: DateTime.utc() })
  const linesOf = async (number: string) => {
    const order = await Order.query()
      .where('number', number)
      .preload('lines', (query) => void query.orderBy('position'))
      .firstOrFail()
    return order.lines.map((line) => [line.productId, line.quantity, Number(line.unitPrice)])
  }

  test('[R2] an order is created with its lines, and lines can be changed, moved and added later', async ({
    assert,
    client,
  }) => {
    const [lamp, pan] = products
    const made = await client
      .post(await adminPath('/Order/form_create'))
      .asAdmin()
      .redirects(0)
      .form({
        ...head(),
        'lines.0.product_id': lamp.id,
        'lines.0.quantity': 2,
        'lines.0.unit_price': '9.50',
        'lines.1.product_id': pan.id,
        'lines.1.quantity': 1,
        'lines.1.unit_price': 30,
      })
    made.assertStatus(303)
    assert.deepEqual(await linesOf('SO-1'), [
      [lamp.id, 2, 9.5],
      [pan.id, 1, 30],
    ])

    const { id, lines } = await Order.query().preload('lines').firstOrFail()
    const changed = await client
      .post(await adminPath(`/Order/form_update/${id}`))
      .asAdmin()
      .redirects(0)
      .form({
        ...head(),
        'status': 'confirmed',
        'lines.0.id': lines[0].id,
        'lines.0.position': 2,
        'lines.1.id': lines[1].id,
        'lines.1.position': 1,
        'lines.1.quantity': 5,
      })
    changed.assertStatus(303)
    assert.deepEqual(await linesOf('SO-1'), [
      [pan.id, 5, 30],
      [lamp.id, 2, 9.5],
    ])
  })

  test('[R2] nothing is written if a line of the order is invalid', async ({ assert, client }) => {
    const answer = await client
      .post(await adminPath('/Order/form_create'))
      .asAdmin()
      .form({ ...head(), 'lines.0.product_id': products[0].id, 'lines.0.quantity': 0 })
    answer.assertStatus(422)
    assert.include(answer.text(), 'id="field-lines.0.quantity-error"')
    assert.isNull(await Order.first())
  })

  test("[B17.21] a new order has the next number and today's date", async ({ assert, client }) => {
    await Order.create({ ...common(), number: 'SO-0199' })
    const page = await client.get(await adminPath('/Order/create_page')).asAdmin()
    assert.match(page.text(), /id="field-number"[^>]*value="SO-0200"/)
    assert.include(page.text(), `value="${DateTime.now().toISODate()}"`)
  })

  test("[G8.2] the status of a paid order can't be changed", async ({ assert, client }) => {
    const order = await Order.create({ ...common(), number: 'SO-3', status: 'paid' })
    const response = await client
      .patch(`/api/orders/${order.id}`)
      .withAdminToken()
      .json({ status: 'draft' })
    response.assertStatus(422)
    await order.refresh()
    assert.equal(order.status, 'paid')
  })

  test('[Q3] the API includes the lines of an order', async ({ assert, client }) => {
    const order = await Order.create({
      number: 'SO-2',
      customerId: customer.id,
      orderedOn: DateTime.utc(),
    })
    await order.related('lines').create({ productId: products[0].id, quantity: 3, unitPrice: 4.5 })
    const { data } = await client
      .get('/api/orders')
      .qs({ include: 'lines,customer', number: 'SO-2' })
      .withAdminToken()
      .then((answer) => answer.body())
    assert.equal(data[0].customer.name, 'Hana Kobayashi')
    assert.equal(data[0].lines[0].quantity, 3)
  })
})
