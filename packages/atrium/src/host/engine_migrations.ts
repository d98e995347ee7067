import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { Database } from '@adonisjs/lucid/database'
import { engineMigration, migrationsPath } from '#base/engine_file'
import type { ApplicationService } from '@adonisjs/core/types'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { listTables } from '#base/database/read_tables'
import { whileLocked } from '#base/database/migration_lock'

/** Migration folders of the engine. The connection of the admin site needs both, that of the application only `crud` */
const FOLDERS = ['crud', 'admin'] as const

/** Tables of the engine's migrations, which are excluded from `database/schema.ts` of an application */
export const ENGINE_TABLES = [
  'idempotency_keys',
  'admin_access_tokens',
  'admin_audit_log',
  'admin_devices',
  'admin_event_log',
  'admin_factors',
  'admin_imports',
  'admin_invitations',
  'admin_job_chunks',
  'admin_jobs',
  'admin_kept_forms',
  'admin_notices',
  'admin_preferences',
  'admin_queue_jobs',
  'admin_rate_limits',
  'admin_recovery_codes',
  'admin_role_dashboards',
  'admin_roles',
  'admin_saved_views',
  'admin_sessions',
  'admin_sso_identities',
  'admin_token_blacklist',
  'admin_user_roles',
  'admin_users',
  'admin_webhook_deliveries',
  'admin_webhooks',
]

/**
 * Adds the engine's migrations to those of the connections that need its tables, before the application's migrations,
 * whose tables can refer to them. Folders that a connection already lists keep their position.
 *
 * @param adminConnection  connection of `config/admin.ts`
 */
export function addEngineMigrations(db: Database, adminConnection = db.primaryConnectionName) {
  addPaths(db, adminConnection, FOLDERS.map(migrationsPath))
  addPaths(db, db.primaryConnectionName, [migrationsPath('crud')])
}

function addPaths(db: Database, name: string, engine: string[]) {
  /* The admin site reports a missing connection. */
  const config = db.getRawConnection(name)?.config
  if (!config) return
  const usual = name === db.primaryConnectionName ? [app.relativePath(app.migrationsPath())] : []
  const paths = config.migrations?.paths ?? usual
  const added = engine.filter((path) => !paths.includes(path))
  config.migrations = { ...config.migrations, paths: [...added, ...paths] }
  const excluded = new Set([...(config.schemaGeneration?.excludeTables ?? []), ...ENGINE_TABLES])
  config.schemaGeneration = { ...config.schemaGeneration, excludeTables: [...excluded] }
}

/**
 * Updates the names of the engine's migrations that have run. Lucid identifies a migration by its path. Those of the
 * engine are identified by their file names, which never change, because their folder can differ: it was another one in
 * version 0.2, and depends on the location of the installed package. Must be called before migrations run.
 */
export async function renameEngineMigrations(db: Database, connectionName: string): Promise<void> {
  const client = db.connection(connectionName)
  const { config } = db.getRawConnection(connectionName)!
  const { tableName = 'adonis_schema' } = config.migrations ?? {}
  if (!(await client.schema.hasTable(tableName))) return
  const current = await currentNames()
  const rows: Array<{ name: string }> = await client.from(tableName).select('name')
  for (const { name } of rows) {
    const now = current.get(engineMigration(name) ?? '')
    if (now && now !== name) await client.from(tableName).where({ name }).update({ name: now })
  }
}

/** Returns the current names of the engine's migrations in Lucid, by file name */
async function currentNames(): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const folder of FOLDERS) {
    const path = migrationsPath(folder)
    for (const file of await readdir(app.makePath(path))) {
      const { name } = parse(file)
      names.set(name, `${path}/${name}`)
    }
  }
  return names
}

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
  application: ApplicationService,
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
    const runner = new MigrationRunner(db, application, {
      ...{ direction: 'down', connectionName, batch, disableLocks: true },
    })
    await runner.run()
    if (runner.error) throw runner.error
  })
}
