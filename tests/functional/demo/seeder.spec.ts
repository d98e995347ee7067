import db from '@adonisjs/lucid/services/db'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { AdminRole, AdminSite, userActor, type AdminUserAttributes } from 'adonis-atrium/admin'
import { makeAdmin } from 'adonis-atrium/testing'
import Film from '#models/film'
import DemoSeeder from '#database/seeders/demo_seeder'

const ROLE = 'Cinema clerk'
const TABLES = [
  'films',
  'distributors',
  'order_lines',
  'orders',
  'customers',
  'products',
  'seed_runs',
]

async function seed() {
  await new DemoSeeder(db.connection()).run()
}

async function countOf(table: string): Promise<number> {
  const [{ total }] = await db.from(table).count('* as total')
  return Number(total)
}

test.group('Demo data', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    const empty = async () => {
      for (const table of TABLES) await db.from(table).delete()
      await db.from('admin_roles').where('name', ROLE).delete()
    }
    await empty()
    return empty
  })

  test('[B1] the data is written once if two processes start at the same time, and never again', async ({
    assert,
  }) => {
    await Promise.all([seed(), seed()])
    assert.equal(await countOf('films'), 3201)
    assert.equal(await countOf('seed_runs'), 1)

    await db.from('films').delete()
    await seed()
    assert.equal(await countOf('films'), 0)
  }).timeout(60_000)

  test('[U6] the seeder creates the role Cinema clerk unless a role of that name exists', async ({
    assert,
  }) => {
    await seed()
    const role = await AdminRole.findByOrFail('name', ROLE)
    assert.deepEqual(role.permissions.Film, {
      actions: ['view', 'create', 'update'],
      hidden: ['us_gross', 'worldwide_gross'],
      scopes: ['ownDistributor'],
    })
    const site = await app.container.make(AdminSite)
    const { options, resource } = site.models.get('Film')!
    assert.isFunction(options.scopes?.ownDistributor)
    for (const name of ['us_gross', 'worldwide_gross']) assert.exists(resource.columns.find(name))

    await role.merge({ description: 'Mine' }).save()
    for (const table of TABLES) await db.from(table).delete()
    await seed()
    const [kept, ...others] = await AdminRole.query().where('name', ROLE)
    assert.equal(kept.description, 'Mine')
    assert.isEmpty(others)
  }).timeout(60_000)

  test('[U3] the scope ownDistributor contains the films of the user’s distributor', async ({
    assert,
  }) => {
    await seed()
    const site = await app.container.make(AdminSite)
    const { ownDistributor } = site.models.get('Film')!.options.scopes!
    const { id } = await db.from('distributors').firstOrFail()
    const reached = async (attributes: AdminUserAttributes) => {
      const user = await makeAdmin({ isSuperuser: false, attributes })
      const query = Film.query()
      ownDistributor(query as never, userActor(user))
      const films = await query
      return new Set(films.map(({ distributorId }) => distributorId))
    }
    assert.deepEqual(await reached({ distributor_id: id }), new Set([id]))
    assert.deepEqual(await reached({}), new Set())
  }).timeout(60_000)

  test('the seeder does not change rows that already exist', async ({ assert }) => {
    await db.table('products').insert({
      name: 'Mine',
      description: '',
      category: '',
      price: 1,
      created_at: '2026-01-01 00:00:00',
    })
    await seed()
    assert.equal(await countOf('products'), 1)
    assert.equal(await countOf('films'), 0)
  })
})
