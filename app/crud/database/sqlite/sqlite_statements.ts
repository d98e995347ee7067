type Done = (error: Error | null) => void

type Callback = (error: Error | null, ...results: any[]) => void

interface Statement {
  run(values: unknown[], callback: (this: { lastID: number }, error: Error | null) => void): void
  all(values: readonly unknown[], callback: (error: Error | null, rows: Row[]) => void): void
  finalize(): void
}

type Row = Record<string, unknown>

/** What of the driver `sqlite3` is used here. */
export interface Connection {
  all(sql: string, values: unknown, callback: Callback): void
  run(sql: string, values: unknown, callback: Callback): void
  prepare(sql: string, callback: (this: Statement, error: Error | null) => void): void
  close(callback: Done): void
}

/* What is said once, or is as long as a list of rows, is not worth being kept. */
const LASTING = /^\s*(?:select|insert|update|delete|with|begin|commit|rollback)\b(?! to\b)/i
const LONGEST = 4000

/* Lists of values and orders make ever new statements, which must not fill the memory. */
export const MOST_READY = 200

const STATEMENTS = new WeakMap<Connection, Map<string, Statement>>()

/**
 * The rows of a select, or of a write that tells what it wrote, by a statement that the connection keeps
 * ready: for what every request asks, building and preparing it anew would take several times as long.
 *
 * @param connection  for this alone until it is done; all rows are read, so that afterwards it holds no
 *   view of the past
 */
export async function selectReady(
  connection: Connection,
  sql: string,
  values: readonly unknown[]
): Promise<Row[]> {
  const statement = await statementOf(connection, sql)
  return await new Promise((resolve, reject) => {
    statement.all(values, (error, rows) => {
      if (error) reject(error)
      else resolve(rows)
    })
  })
}

/**
 * Has a connection keep what knex runs on it, too. For each statement the driver would make a new one
 * and throw it away, which takes twice as long, and waits in the server's thread for what the database
 * is doing meanwhile.
 */
export function keepStatements(connection: Connection): void {
  for (const method of ['all', 'run'] as const) {
    const once = connection[method].bind(connection)
    connection[method] = (sql, values, callback) => {
      if (!isLasting(sql)) return once(sql, values, callback)
      const run = (statement: Statement) => statement[method]((values ?? []) as any[], callback)
      const known = knownOn(connection, sql)
      if (known) run(known)
      else statementOf(connection, sql).then(run, callback)
    }
  }
}

/**
 * Whether a statement is one that comes again.
 */
export function isLasting(sql: string): boolean {
  return sql.length <= LONGEST && LASTING.test(sql)
}

function knownOn(connection: Connection, sql: string): Statement | undefined {
  const ready = readyOn(connection)
  const known = ready.get(sql)
  if (known) {
    /* What was used last stands last, and goes last. */
    ready.delete(sql)
    ready.set(sql, known)
  }
  return known
}

async function statementOf(connection: Connection, sql: string): Promise<Statement> {
  const known = knownOn(connection, sql)
  if (known) return known
  const ready = readyOn(connection)
  const statement = await new Promise<Statement>((resolve, reject) => {
    connection.prepare(sql, function (error) {
      if (error) reject(error)
      else resolve(this)
    })
  })
  const other = ready.get(sql)
  if (other) {
    /* Somebody else asked for it meanwhile. */
    statement.finalize()
    return other
  }
  ready.set(sql, statement)
  if (ready.size > MOST_READY) {
    const [[oldest, unused]] = ready
    ready.delete(oldest)
    unused.finalize()
  }
  return statement
}

/**
 * The statements that a connection keeps ready, the one used last at the end. A connection does not
 * close while it has statements.
 */
export function readyOn(connection: Connection): Map<string, Statement> {
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
