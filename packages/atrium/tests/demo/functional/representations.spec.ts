/* Every endpoint of the demo in every representation, compared with the API schema. */
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { ApiSchema } from '#tests/helpers/openapi'
import { Representations, type Bodies } from '#tests/helpers/representations'
import { issueToken } from '#tests/helpers/tokens'

const TABLES = ['order_lines', 'orders', 'customers', 'products', 'films', 'distributors']
const MADE = { created_at: '2026-01-01 00:00:00' }

/** Inserts what bodies refer to. */
async function bodies(): Promise<Bodies> {
  const distributor = await insertRow('distributors', { name: 'Kestrel', ...MADE })
  const customer = await insertRow('customers', { name: 'Hana', email: 'hana@x.example', ...MADE })
  const article = { name: 'Lamp', description: 'Warm', category: 'Light', price: 3 }
  const product = await insertRow('products', { ...article, is_deleted: false, ...MADE })
  const head = { customer_id: customer, ordered_on: '2026-11-23' }
  const order = await insertRow('orders', { number: 'SO', status: 'draft', ...head, ...MADE })
  return {
    '/api/customers': (n) => ({ name: 'Jo', email: `jo${n}@x.example`, city: null }),
    '/api/distributors': (n) => ({ name: `Distributor ${n}` }),
    '/api/films': () => ({ title: 'Ran', imdb_rating: 8.2, distributor_id: distributor }),
    '/api/orders': (n) => ({ number: `SO-${n}`, status: 'paid', ...head }),
    '/api/order-lines': () => ({
      order_id: order,
      product_id: product,
      quantity: 2,
      unit_price: 3,
    }),
    '/api/products': (n) => ({ ...article, sku: `lamp-${n}` }),
  }
}

test.group('Endpoints of the demo', (group) => {
  const empty = async () => {
    for (const table of TABLES) await db.from(table).delete()
  }
  group.setup(async () => {
    await emptyAdminTables()
    await empty()
    return empty
  })

  test('[W7] every request and response of the demo matches the OpenAPI document', async ({
    assert,
  }) => {
    const schema = await ApiSchema.read()
    const { headers } = await issueToken(await makeUser('ada'))
    const all = new Representations(schema, await bodies(), headers)
    await all.checkAll(schema.operations)
    assert.isAbove(all.requests, 1000)
    assert.deepEqual(all.violations, [])
  }).timeout(120_000)
})
