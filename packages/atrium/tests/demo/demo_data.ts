import db from '@adonisjs/lucid/services/db'
import DemoSeeder from '../../../../database/seeders/demo_seeder.js'
import { emptyAdminTables } from '#tests/helpers/admin'

const TABLES = [
  'films',
  'distributors',
  'order_lines',
  'orders',
  'customers',
  'products',
  'seed_runs',
]

/**
 * Seeds the tables of the demo, and empties those of the site.
 *
 * @returns a function that empties the tables of the demo
 */
export async function seedDemo(): Promise<() => Promise<void>> {
  await emptyAdminTables()
  await emptyTables()
  await new DemoSeeder(db.connection()).run()
  return emptyTables
}

async function emptyTables(): Promise<void> {
  for (const table of TABLES) await db.from(table).delete()
}

/** Returns the keys of the first records of a table. */
export async function firstIds(table: string, count: number): Promise<number[]> {
  const rows = await db.from(table).orderBy('id').limit(count).select('id')
  return rows.map(({ id }) => id)
}
