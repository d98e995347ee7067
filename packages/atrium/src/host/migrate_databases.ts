import { posix } from 'node:path'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { crudConfig } from '#crud'
import { whileLocked } from '#base/database/migration_lock'
import { AdminSite } from '#admin'
import { renameEngineMigrations } from './engine_migrations.js'
import { Exception } from '@adonisjs/core/exceptions'
import type { Database } from '@adonisjs/lucid/database'

/** Codes of errors that are thrown unchanged, because bin/fail_start.ts explains them */
const UNUSABLE_FILE = new Set(['SQLITE_CANTOPEN', 'SQLITE_READONLY'])

/** File names that Lucid treats as migrations */
const SCRIPT = /\.([cm]?js|json|ts)$/

/**
 * Runs all pending migrations: those of the application's database, and those of the admin site's tables if
 * config/admin.ts sets another connection for them. If several processes run concurrently, one migrates and the others
 * wait.
 */
export async function migrateDatabases(app: ApplicationService) {
  const db = await app.container.make('lucid.db')
  const { dbConfig } = await app.container.make(AdminSite)
  const names = new Set([dbConfig.applicationConnection, dbConfig.adminConnection])
  for (const name of names) {
    await whileLocked(db, name, async () => {
      await renameEngineMigrations(db, name)
      await checkExistingTables(db, name, await migrationsOf(db, app, name))
    })
  }
  for (const name of names) await whileLocked(db, name, () => migrate(db, app, name))
}

/** Returns the names of all migrations of a connection, without excluded ones. */
export async function migrationsOf(
  db: Database,
  app: ApplicationService,
  connectionName: string
): Promise<string[]> {
  const excluded = crudConfig().excludedMigrations
  const names = await migrationNamesOf(db, app, connectionName)
  return names.filter((name) => !excluded.includes(name))
}

/**
 * Returns the names of all migrations of a connection, including excluded ones, without writing: Lucid's list of
 * migrations would create its table.
 */
export async function migrationNamesOf(
  db: Database,
  app: ApplicationService,
  connectionName: string
): Promise<string[]> {
  const { paths = [] } = db.getRawConnection(connectionName)!.config.migrations ?? {}
  const folders = paths.length > 0 ? paths : [app.relativePath(app.migrationsPath())]
  const names = await Promise.all(
    folders.map(async (folder) => {
      const files = await fsReadAll(new URL(folder, app.appRoot), {
        filter: (path) => SCRIPT.test(path) && !path.endsWith('.d.ts'),
        ignoreMissingRoot: true,
      })
      return files.map((file) => posix.join(folder, file.replaceAll('\\', '/').replace(SCRIPT, '')))
    })
  )
  return names.flat()
}

async function migrate(db: Database, app: ApplicationService, connectionName: string) {
  /* The runner is not closed, because close() would end the application's connections, which it uses. */
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

/** Returns "database/migrations/1763600000000_create_products_table" without folder and time. */
function shortName(name: string) {
  return posix.basename(name).replace(/^\d+_/, '')
}

/** Returns the driver's message, without the statement that Knex puts before it, which can be many lines long. */
function reasonOf(error: any): string {
  const message = String(error?.message ?? error)
  const start = error?.code ? message.lastIndexOf(`${error.code}: `) : -1
  return message.slice(Math.max(start, 0)).split('\n')[0]
}

const CREATES = /_create_(\w+)_table$/

/** Thrown before anything is written: the database has tables that pending migrations would create. */
class ExistingTables extends Exception {
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
async function checkExistingTables(
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
