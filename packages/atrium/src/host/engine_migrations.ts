import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { Database } from '@adonisjs/lucid/database'
import { engineMigration, migrationsPath } from '#base/engine_file'

/** The engine's folders of migrations. The admin site's connection needs all, that of the application the first */
const FOLDERS = ['crud', 'admin'] as const

/** The tables of these migrations, which have no place in `database/schema.ts` of an application */
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
  'admin_roles',
  'admin_saved_views',
  'admin_sessions',
  'admin_sso_identities',
  'admin_token_blacklist',
  'admin_user_roles',
  'admin_users',
]

/**
 * Adds the engine's migrations to those of the connections that need its tables, before the application's, whose tables
 * may refer to them. A connection that names them itself keeps its order. [K3]
 *
 * @param adminConnection  as in `config/admin.ts`
 */
export function addEngineMigrations(db: Database, adminConnection = db.primaryConnectionName) {
  addPaths(db, adminConnection, FOLDERS.map(migrationsPath))
  addPaths(db, db.primaryConnectionName, [migrationsPath('crud')])
}

function addPaths(db: Database, name: string, engine: string[]) {
  /* The admin site names a missing connection. */
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
 * Lucid knows a migration that has run by its path. The engine's are recognised by the names of their files, which
 * never change, so that they may move: from the folders of version 0.2, and from one place of the installed package
 * to another. Call it before migrations run. [K7]
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

/** The names under which Lucid knows the engine's migrations now, by those of their files */
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
