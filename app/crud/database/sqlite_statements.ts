import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

type Done = (error: Error | null) => void

interface Statement {
  run(values: unknown[], callback: (this: { lastID: number }, error: Error | null) => void): void
  all(values: unknown[], callback: (error: Error | null, rows: Row[]) => void): void
  finalize(): void
}

type Row = Record<string, unknown>

/** What of the driver `sqlite3` is used here. */
interface Connection {
  prepare(sql: string, callback: (this: Statement, error: Error | null) => void): void
  close(callback: Done): void
}

const STATEMENTS = new WeakMap<Connection, Map<string, Statement>>()

/**
 * Inserts a row by a statement that the connection keeps ready: for what comes with every write,
 * building and preparing it anew would take several times as long as the insert.
 *
 * @returns the row's number
 */
export async function insertReady(
  client: TransactionClientContract,
  table: string,
  row: Record<string, unknown>
): Promise<number> {
  const connection: Connection = await client.knexClient.client.acquireConnection()
  const names = Object.keys(row)
  const sql = `insert into ${quoted(table)} (${names.map(quoted).join(', ')}) values (${names.map(() => '?').join(', ')})`
  const statement = await statementOf(connection, sql)
  return await new Promise((resolve, reject) => {
    statement.run(Object.values(row), function (error) {
      if (error) reject(error)
      else resolve(this.lastID)
    })
  })
}

/**
 * The rows of a select, by a statement that the connection keeps ready, for what every request asks.
 *
 * @param connection  for this alone until it is done; all rows are read, so that afterwards it holds no
 *   view of the past
 */
export async function selectReady(
  connection: Connection,
  sql: string,
  values: unknown[]
): Promise<Row[]> {
  const statement = await statementOf(connection, sql)
  return await new Promise((resolve, reject) => {
    statement.all(values, (error, rows) => {
      if (error) reject(error)
      else resolve(rows)
    })
  })
}

async function statementOf(connection: Connection, sql: string): Promise<Statement> {
  const ready = readyOn(connection)
  const known = ready.get(sql)
  if (known) return known
  const statement = await new Promise<Statement>((resolve, reject) => {
    connection.prepare(sql, function (error) {
      if (error) reject(error)
      else resolve(this)
    })
  })
  ready.set(sql, statement)
  return statement
}

/** A connection does not close while it has statements. */
function readyOn(connection: Connection): Map<string, Statement> {
  const known = STATEMENTS.get(connection)
  if (known) return known
  const ready = new Map<string, Statement>()
  STATEMENTS.set(connection, ready)
  const close = connection.close.bind(connection)
  connection.close = (callback) => {
    for (const statement of ready.values()) statement.finalize()
    ready.clear()
    close(callback)
  }
  return ready
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
