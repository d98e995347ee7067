import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import DemoSeeder from '../../../../../database/seeders/demo_seeder.js'
import { emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { startBrowser, Visit } from '#tests/helpers/browser'
import { firstLoad, KB } from '#tests/helpers/first_load'

const TABLES = [
  'films',
  'distributors',
  'order_lines',
  'orders',
  'customers',
  'products',
  'seed_runs',
]

test.group('The first load of pages of the demo', (group) => {
  group.setup(() => fakeHashes())
  group.setup(startBrowser)
  group.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    await new DemoSeeder(db.connection()).run()
    return async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
  })

  async function idOf(table: string): Promise<number> {
    const { id } = await db.from(table).orderBy('id').firstOrFail()
    return id
  }

  /* Orders have names with characters of several languages. */
  for (const [name, table] of [
    ['Film', 'films'],
    ['Order', 'orders'],
    ['Product', 'products'],
  ]) {
    test(`[K9.6] list and form of ${name} are within their limits`, async ({ assert }) => {
      const as = await makeUser(`ada-${name}`)
      const list = await Visit.begin({ as, fresh: true })
      const ofList = await firstLoad(list.page, `/admin/${name}/`)
      assert.isAtMost(ofList.requests, 6)
      assert.isAbove(ofList.bytes, 30 * KB)
      assert.isAtMost(ofList.bytes, 60 * KB)

      for (const path of ['create_page', `update/${await idOf(table)}`]) {
        const form = await Visit.begin({ as, fresh: true })
        const ofForm = await firstLoad(form.page, `/admin/${name}/${path}`)
        assert.isAtMost(ofForm.requests, 8, path)
        assert.isAtMost(ofForm.bytes, 75 * KB, path)
        assert.deepEqual([...list.errors, ...form.errors], [])
      }
    })
  }
})
