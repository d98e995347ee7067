import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import DemoSeeder from '../../../../../database/seeders/demo_seeder.js'
import { callRaw, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'

const TABLES = [
  'films',
  'distributors',
  'order_lines',
  'orders',
  'customers',
  'products',
  'seed_runs',
]

test.group('The lists of the demo data', (group) => {
  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    await new DemoSeeder(db.connection()).run()
    return async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
  })

  test('a page of ten rows takes at most 10 KB, and its content for htmx at most 9', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(await makeUser('ada'))
    for (const name of ['Product', 'Film', 'Distributor', 'Order']) {
      for (const encoding of ['br', 'gzip']) {
        const accept = { cookie, 'accept-encoding': encoding }
        const bytesOf = async (headers: Record<string, string>) => {
          const response = await callRaw('HEAD', `/admin/${name}/`, headers)
          return Number(response.headers['content-length'])
        }
        const whole = await bytesOf(accept)
        const part = await bytesOf({ ...accept, 'hx-request': 'true' })
        assert.isAbove(part, 1000)
        assert.isAtMost(part, 9 * 1024, `${name}, ${encoding}`)
        assert.isAtMost(whole, 10 * 1024, `${name}, ${encoding}`)
      }
    }
  })
})
