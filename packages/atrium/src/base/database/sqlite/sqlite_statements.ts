type Done = (error: Error | null) => void

type Callback = (error: Error | null, ...results: any[]) => void

interface Statement {
  run(values: unknown[], callback: (this: { lastID: number }, error: Error | null) => void): void
  all(values: readonly unknown[], callback: (error: Error | null, rows: Row[]) => void): void
  reset(callback: () => void): void
  finalize(): void
}

type Row = Record<string, unknown>

/** The part of the driver `sqlite3` that is used here. */
export interface Connection {
  all(sql: string, values: unknown, callback: Callback): void
  run(sql: string, values: unknown, callback: Callback): void
  prepare(sql: string, callback: (this: Statement, error: Error | null) => void): void
  close(callback: Done): void
}

/* Statements that are used once, or are as long as a list of rows, are not cached. */
const LASTING =
  /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|(?:savepoint|release) driver_write)\b(?! to\b)/i
const LONGEST = 4000

/*
 * Limits the number of cached statements, because lists of values and sort orders produce new statements all the time.
 */
export const MOST_READY = 200

const STATEMENTS = new WeakMap<Connection, Map<string, Statement>>()

/**
 * Returns the rows of a select, or of a write with `returning`, with a cached prepared statement: building and
 * preparing it for every request would take several times as long.
 *
 * @param connection  connection that only this call uses until it resolves; all rows are read, so that no read
 *   transaction remains open
 */
export async function selectReady(
  connection: Connection,
  sql: string,
  values: readonly unknown[]
): Promise<Row[]> {
  const statement = await statementOf(connection, sql)
  return await new Promise((resolve, reject) => {
    const done: Callback = (error, rows) => (error ? reject(error) : resolve(rows))
    statement.all(values, endedBefore(statement, done))
  })
}

/**
 * Returns the rows of a statement that is prepared for this call and finalized after it. The driver does not reset a
 * statement at its end: an `explain` in the cache would count as a read in progress, so the transaction of the next
 * read would never end, and all later reads would return the rows of that moment.
 */
export function selectOnce(
  connection: Connection,
  sql: string,
  values: readonly unknown[]
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    connection.all(sql, values, (error, rows) => (error ? reject(error) : resolve(rows)))
  })
}

/**
 * Also caches the statements that Knex runs on a connection. Otherwise the driver would prepare and discard a new
 * statement each time, which takes twice as long, and blocks the server's thread while the database is busy.
 */
export function keepStatements(connection: Connection): void {
  for (const method of ['all', 'run'] as const) {
    const once = connection[method].bind(connection)
    connection[method] = (sql, values, callback) => {
      if (!isLasting(sql)) return once(sql, values, callback)
      const run = (statement: Statement) =>
        statement[method]((values ?? []) as any[], endedBefore(statement, callback))
      const known = knownOn(connection, sql)
      if (known) run(known)
      else statementOf(connection, sql).then(run, callback)
    }
  }
}

/**
 * Calls back after the statement has ended. After a "database is busy" error a statement is still in progress, and
 * until it is reset, the connection cannot commit other writes or set a savepoint.
 */
function endedBefore(statement: Statement, callback: Callback): Callback {
  return function (this: unknown, error, ...results) {
    if (!error) return callback.call(this, null, ...results)
    statement.reset(() => callback.call(this, error, ...results))
  }
}

/** True if a statement is likely to be used again. */
export function isLasting(sql: string): boolean {
  return sql.length <= LONGEST && LASTING.test(sql)
}

function knownOn(connection: Connection, sql: string): Statement | undefined {
  const ready = readyOn(connection)
  const known = ready.get(sql)
  if (known) {
    /* The most recently used statement moves to the end, and is removed last. */
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
    /* Another call has prepared it in the meantime. */
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
 * Returns the cached statements of a connection, the most recently used last. A connection cannot be closed while it
 * has statements.
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
