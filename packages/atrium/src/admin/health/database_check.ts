import { BaseCheck, Result } from '@adonisjs/core/health'
import type { HealthCheckResult } from '@adonisjs/core/types/health'
import type { Database } from '@adonisjs/lucid/database'
import { dialectOf } from '#base/database/dialects'
import { pendingMigrations } from '#base/engine_file'

/* Timeout in milliseconds: health checks are polled often, and a slower database is unusable anyway. */
const TIMEOUT = 2000

/** Checks with one small query that a database responds and has run all migrations of the application. */
export class DatabaseCheck extends BaseCheck {
  readonly name: string
  readonly #db: Database
  readonly #migrations: () => Promise<string[]>
  readonly #timeout: number

  /**
   * @param connectionName  connection in config/database.ts
   * @param migrations      returns the names of the migrations that should have run
   */
  constructor(
    db: Database,
    connectionName: string,
    migrations: () => Promise<string[]>,
    { timeout = TIMEOUT } = {}
  ) {
    super()
    this.name = connectionName
    this.#db = db
    this.#migrations = migrations
    this.#timeout = timeout
  }

  async run(): Promise<HealthCheckResult> {
    try {
      const done = await within(this.#timeout, this.#doneMigrations())
      const wanted = await this.#migrations()
      const pending = pendingMigrations(wanted, done)
      if (pending.length === 0) return Result.ok('The database is ready')
      return Result.failed(`Migrations are pending: ${pending.join(', ')}`)
    } catch (error) {
      return Result.failed('The database does not respond, or was never migrated', error as Error)
    }
  }

  async #doneMigrations(): Promise<string[]> {
    const client = this.#db.connection(this.name)
    const { config } = this.#db.getRawConnection(this.name)!
    const table = config.migrations?.tableName ?? 'adonis_schema'
    const rows = await dialectOf(client).selectRows(client, `select name from ${table}`, [])
    return rows.map(({ name }) => String(name))
  }
}

async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`No response within ${milliseconds} ms`)),
    milliseconds
  )
  /* Handles the rejection of a query that fails after the timeout. */
  promise.catch(() => {})
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
