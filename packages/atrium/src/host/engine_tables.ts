import type { ApplicationService } from '@adonisjs/core/types'
import type { Database } from '@adonisjs/lucid/database'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { listTables } from '#base/database/read_tables'
import { whileLocked } from '#base/database/migration_lock'
import { engineMigration } from '#base/engine_file'
import { ENGINE_TABLES, renameEngineMigrations } from './engine_migrations.js'

/** Returns the tables of the engine that exist in a database. */
export async function engineTablesOf(db: Database, connectionName: string): Promise<string[]> {
  const tables = new Set(await listTables(db.connection(connectionName)))
  return ENGINE_TABLES.filter((table) => tables.has(table))
}

/**
 * Rolls back only the migrations of the engine: they are marked as the last batch, which Lucid then rolls back.
 *
 * @throws the error of a migration; migrations that were not rolled back yet remain
 */
export async function removeEngineTables(
  db: Database,
  app: ApplicationService,
  connectionName: string
): Promise<void> {
  const { config } = db.getRawConnection(connectionName)!
  const { tableName = 'adonis_schema' } = config.migrations ?? {}
  /* Allowed in production, because the user who runs the command has confirmed it. */
  config.migrations = { ...config.migrations, disableRollbacksInProduction: false }
  await whileLocked(db, connectionName, async () => {
    const client = db.connection(connectionName)
    if (!(await client.schema.hasTable(tableName))) return
    await renameEngineMigrations(db, connectionName)
    const rows: Array<{ name: string; batch: number }> = await client.from(tableName)
    const batch = Math.max(0, ...rows.map((row) => row.batch))
    const engine = rows.map(({ name }) => name).filter((name) => engineMigration(name))
    if (engine.length === 0) return
    await client
      .from(tableName)
      .whereIn('name', engine)
      .update({ batch: batch + 1 })
    const runner = new MigrationRunner(db, app, {
      ...{ direction: 'down', connectionName, batch, disableLocks: true },
    })
    await runner.run()
    if (runner.error) throw runner.error
  })
}
