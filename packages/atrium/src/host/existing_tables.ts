import { Exception } from '@adonisjs/core/exceptions'
import type { Database } from '@adonisjs/lucid/database'

const CREATES = /_create_(\w+)_table$/

/** The database has tables that pending migrations would create. Nothing was written. */
export class ExistingTables extends Exception {
  static code = 'E_EXISTING_TABLES'
  static status = 500

  constructor(
    connection: string,
    readonly tables: readonly string[]
  ) {
    super(
      `The database (connection "${connection}") has tables that pending migrations would create: ${tables.join(', ')}. Nothing was written. Use another database, or name the migrations in excludedMigrations of config/crud.ts`
    )
  }
}

/**
 * Checks that no pending migration creates a table that already exists. Only runs queries.
 *
 * @param migrations  names of all migrations of the connection
 * @throws ExistingTables
 */
export async function checkExistingTables(
  db: Database,
  connection: string,
  migrations: readonly string[]
): Promise<void> {
  const client = db.connection(connection)
  const { config } = db.getRawConnection(connection)!
  const { searchPath = ['public'] } = config as { searchPath?: string[] }
  const existing = new Set(await client.getAllTables([searchPath].flat()))
  const { tableName = 'adonis_schema' } = config.migrations ?? {}
  const rows = existing.has(tableName) ? await client.from(tableName).select('name') : []
  const done = new Set(rows.map(({ name }) => name))
  const tables = migrations
    .filter((name) => !done.has(name))
    .flatMap((name) => CREATES.exec(name)?.[1] ?? [])
    .filter((table) => existing.has(table))
  if (tables.length > 0) throw new ExistingTables(connection, tables)
}
