import { posix } from 'node:path'
import { Exception } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import type { Database } from '@adonisjs/lucid/database'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { AdminSite } from './admin_site.js'

/** What bin/fail_start.ts explains itself */
const UNUSABLE_FILE = new Set(['SQLITE_CANTOPEN', 'SQLITE_READONLY'])

/**
 * Runs all pending migrations: those of the application's database, and those of the admin site's own
 * tables where config/admin.ts puts them on another connection. [B1]
 */
export async function migrateDatabases(app: ApplicationService) {
  const db = await app.container.make('lucid.db')
  const { dbConfig } = await app.container.make(AdminSite)
  for (const name of new Set([dbConfig.applicationConnection, dbConfig.adminConnection])) {
    await migrate(db, app, name)
  }
}

async function migrate(db: Database, app: ApplicationService, connectionName: string) {
  /* The runner works on the application's own connections and is not closed: close() ends them. */
  const runner = new MigrationRunner(db, app, { direction: 'up', connectionName })
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
