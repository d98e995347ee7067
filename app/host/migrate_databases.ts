import { posix } from 'node:path'
import { Exception } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import type { Database } from '@adonisjs/lucid/database'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { whileLocked } from '#crud/database/migration_lock'
import { AdminSite } from '#admin/admin_site'

/** What bin/fail_start.ts explains itself */
const UNUSABLE_FILE = new Set(['SQLITE_CANTOPEN', 'SQLITE_READONLY'])

/**
 * Runs all pending migrations: those of the application's database, and those of the admin site's own
 * tables where config/admin.ts puts them on another connection. Of several processes that do so at
 * once, one does it, and the others wait. [B1]
 */
export async function migrateDatabases(app: ApplicationService) {
  const db = await app.container.make('lucid.db')
  const { dbConfig } = await app.container.make(AdminSite)
  for (const name of new Set([dbConfig.applicationConnection, dbConfig.adminConnection])) {
    await whileLocked(db, name, () => migrate(db, app, name))
  }
}

/**
 * The names of all migrations that a connection should have.
 */
export async function migrationsOf(
  db: Database,
  app: ApplicationService,
  connectionName: string
): Promise<string[]> {
  const runner = new MigrationRunner(db, app, { direction: 'up', connectionName })
  /* Its own list would first make the table in which it keeps what was done. */
  const { migrationSource } = runner as unknown as {
    migrationSource: { getMigrations(): Promise<Array<{ name: string }>> }
  }
  const migrations = await migrationSource.getMigrations()
  return migrations.map(({ name }) => name)
}

async function migrate(db: Database, app: ApplicationService, connectionName: string) {
  /* The runner works on the application's own connections and is not closed: close() ends them. */
  const runner = new MigrationRunner(db, app, {
    direction: 'up',
    connectionName,
    disableLocks: true,
  })
  runner.on('migration:completed', ({ file }) => console.log(`Migrated ${shortName(file.name)}`))
  await runner.run()
  if (!runner.error) return

  const failed = Object.values(runner.migratedFiles).find(({ status }) => status === 'error')
  if (!failed && UNUSABLE_FILE.has((runner.error as any).code)) throw runner.error

  const what = failed ? `The migration ${shortName(failed.file.name)}` : 'Migrating the database'
  throw new Exception(`${what} failed: ${reasonOf(runner.error)}`, {
    code: 'E_RUNTIME',
    cause: runner.error,
  })
}

/**
 * "database/migrations/1763600000000_create_products_table" without folder and time.
 */
function shortName(name: string) {
  return posix.basename(name).replace(/^\d+_/, '')
}

/**
 * What the driver said. Knex puts the statement in front of it, which may be many lines long.
 */
export function reasonOf(error: any): string {
  const message = String(error?.message ?? error)
  const start = error?.code ? message.lastIndexOf(`${error.code}: `) : -1
  return message.slice(Math.max(start, 0)).split('\n')[0]
}
