import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { environment } from './application.js'
import { distributors, films } from './films.js'
import type { BenchDatabase, BenchUser } from './bench_database.js'
import type { ProductRow } from './products.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Runs the application's migrations on a database. */
export function migrate(variables: Record<string, string>): void {
  execFileSync(
    process.execPath,
    [
      '--import=./scripts/loader.js',
      'packages/atrium/benchmarks/ace.ts',
      'migration:run',
      '--force',
    ],
    {
      cwd: ROOT,
      env: { ...process.env, ...environment({ ...variables, PORT: '1' }) },
      stdio: ['ignore', 'ignore', 'inherit'],
    }
  )
}

export class SqliteDatabase implements BenchDatabase {
  readonly #database: Database.Database

  private constructor(
    readonly location: string,
    private readonly connection: string
  ) {
    this.#database = new Database(location)
    this.#database.pragma('journal_mode = WAL')
    this.#database.pragma('synchronous = NORMAL')
  }

  /**
   * @param connection  connection name in the application: `sqlite` or `better-sqlite3`
   */
  static create(location: string, connection: string): SqliteDatabase {
    migrate({ DB_CONNECTION: connection, DB_DATABASE: location })
    return new SqliteDatabase(location, connection)
  }

  get variables() {
    return { DB_CONNECTION: this.connection, DB_DATABASE: this.location }
  }

  async fill(rows: Iterable<ProductRow>, user?: BenchUser) {
    const insert = this.#database.prepare(
      'insert into products (id, name, description, category, price, sku, last_sold, created_at) values (@id, @name, @description, @category, @price, @sku, @last_sold, @created_at)'
    )
    this.#database.transaction(() => {
      for (const row of rows) insert.run(row)
    })()
    if (user) {
      this.#database
        .prepare(
          'insert into admin_users (username, hashed_password, is_superuser, created_at) values (?, ?, 1, ?)'
        )
        .run(user.username, user.hashedPassword, '2026-01-01 00:00:00')
    }
    this.#database.exec('analyze')
  }

  /** Fills the table of films, and makes the user. */
  async fillFilms(count: number, user: BenchUser) {
    const insert = (table: string, rows: readonly Record<string, unknown>[]) => {
      const names = Object.keys(rows[0])
      const values = names.map((name) => `@${name}`)
      const statement = this.#database.prepare(
        `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`
      )
      for (const row of rows) statement.run(row)
    }
    this.#database.transaction(() => {
      insert('distributors', distributors())
      for (let start = 0; start < count; start += 500) {
        insert('films', films(start + 1, Math.min(500, count - start)))
      }
    })()
    await this.fill([], user)
  }

  async copy(name: string) {
    this.#database.pragma('wal_checkpoint(TRUNCATE)')
    const location = join(dirname(this.location), `${name}.sqlite3`)
    copyFileSync(this.location, location)
    return new SqliteDatabase(location, this.connection)
  }

  async shrink(products: number) {
    this.#database.transaction(() => {
      this.#database.prepare('delete from products where id > ?').run(products)
      this.#database.exec('delete from admin_audit_log; delete from admin_event_log')
    })()
  }

  async run(sql: string) {
    this.#database.exec(sql)
  }

  async select(sql: string, values: unknown[] = []) {
    return this.#database.prepare(sql).all(...values) as Array<Record<string, any>>
  }

  async close() {
    if (this.#database.open) this.#database.close()
  }

  async remove() {
    await this.close()
  }
}
