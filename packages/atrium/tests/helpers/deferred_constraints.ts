import db from '@adonisjs/lucid/services/db'
import { onSqlite } from './databases.js'

/**
 * Removes the tables with deferred constraints from a SQLite database, where they make each write commit alone.
 *
 * @returns a function that creates them again, empty
 */
export async function withoutDeferredConstraints(): Promise<() => Promise<void>> {
  if (!onSqlite) return async () => {}
  const tables = await db
    .from('sqlite_master')
    .where('type', 'table')
    .whereILike('sql', '%initially%deferred%')
  const indexes = await db
    .from('sqlite_master')
    .where('type', 'index')
    .whereNotNull('sql')
    .whereIn(
      'tbl_name',
      tables.map(({ name }) => name)
    )
  for (const { name } of tables) await db.connection().schema.dropTable(name)
  return async () => {
    for (const { sql } of [...tables, ...indexes]) await db.rawQuery(sql)
  }
}
