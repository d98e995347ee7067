import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import DemoSeeder from '#database/seeders/demo_seeder'

const TABLES = ['films', 'distributors', 'products', 'seed_runs']

async function seed() {
  await new DemoSeeder(db.connection()).run()
}

async function countOf(table: string): Promise<number> {
  const [{ total }] = await db.from(table).count('* as total')
  return Number(total)
}

test.group('The demo data', (group) => {
  group.each.setup(async () => {
    const empty = async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
    await empty()
    return empty
  })

  test('[B1] of two that seed at the same time one does, and nobody does it again', async ({
    assert,
  }) => {
    await Promise.all([seed(), seed()])
    assert.equal(await countOf('films'), 3201)
    assert.equal(await countOf('seed_runs'), 1)

    await db.from('films').delete()
    await seed()
    assert.equal(await countOf('films'), 0)
  }).timeout(60_000)

  test('rows that are there already are left alone', async ({ assert }) => {
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
