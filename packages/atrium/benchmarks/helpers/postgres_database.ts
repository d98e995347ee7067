import pg from 'pg'
import type { BenchDatabase, BenchUser } from './bench_database.js'
import type { ProductRow } from './products.js'
import { migrate } from './sqlite_database.js'

const ROWS_AT_ONCE = 5000

export class PostgresDatabase implements BenchDatabase {
  readonly #pool: pg.Pool

  private constructor(
    readonly location: string,
    private readonly server: string
  ) {
    this.#pool = new pg.Pool({ connectionString: location, max: 1 })
    /* The server may close an idle connection; the next query gets another one. */
    this.#pool.on('error', () => {})
  }

  /**
   * @param server  URL with a user that can create databases
   */
  static async create(name: string, server: string): Promise<PostgresDatabase> {
    await onServer(server, `drop database if exists ${name}`, `create database ${name}`)
    const database = new PostgresDatabase(withName(server, name), server)
    migrate(database.variables)
    return database
  }

  get variables() {
    const { hostname, port, username, password, pathname, searchParams } = new URL(this.location)
    return {
      DB_CONNECTION: 'postgres',
      DB_HOST: searchParams.get('host') ?? hostname,
      DB_PORT: port || '5432',
      DB_USER: decodeURIComponent(username),
      DB_PASSWORD: decodeURIComponent(password),
      DB_DATABASE: pathname.slice(1),
    }
  }

  async fill(rows: Iterable<ProductRow>, user?: BenchUser) {
    for (const some of chunks(rows, ROWS_AT_ONCE)) {
      await this.#pool.query(
        `insert into products (id, name, description, category, price, sku, last_sold, created_at)
         select id, name, description, category, price, sku, last_sold, created_at
         from json_populate_recordset(null::products, $1)`,
        [JSON.stringify(some)]
      )
    }
    await this.#pool.query(
      `select setval(pg_get_serial_sequence('products', 'id'), (select coalesce(max(id), 1) from products))`
    )
    if (user) {
      await this.#pool.query(
        'insert into admin_users (username, hashed_password, is_superuser, created_at) values ($1, $2, true, now())',
        [user.username, user.hashedPassword]
      )
    }
    await this.#pool.query('vacuum analyze')
  }

  async copy(name: string) {
    const template = this.#name
    const copied = `${template}_${name}`.replace(/\W/g, '_')
    await this.close()
    await onServer(
      this.server,
      `drop database if exists ${copied}`,
      `create database ${copied} template ${template}`
    )
    return new PostgresDatabase(withName(this.server, copied), this.server)
  }

  async shrink(products: number) {
    await this.#pool.query('delete from products where id > $1', [products])
    await this.#pool.query('truncate admin_event_log, admin_audit_log')
  }

  async run(sql: string) {
    await this.#pool.query(sql)
  }

  async select(sql: string, values: unknown[] = []) {
    let place = 0
    const text = sql.replaceAll('?', () => `$${++place}`)
    const { rows } = await this.#pool.query(text, values)
    return rows
  }

  async close() {
    if (!this.#pool.ended) await this.#pool.end()
  }

  async remove() {
    await this.close()
    await onServer(this.server, `drop database if exists ${this.#name} with (force)`)
  }

  get #name(): string {
    return new URL(this.location).pathname.slice(1)
  }
}

function withName(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(server: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    for (const sql of statements) await client.query(sql)
  } finally {
    await client.end()
  }
}

function* chunks<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let chunk: Item[] = []
  for (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
