import { setImmediate } from 'node:timers/promises'
import { BoundedMap } from '../../bounded_map.js'
import { isLongTurn } from '../../event_loop.js'
import { isLasting, MOST_READY } from './sqlite_statements.js'

type Row = Record<string, unknown>

interface BetterStatement {
  /** True if the statement returns rows */
  readonly reader: boolean
  /** Returns a promise while another process has the lock, or to let other requests run */
  all(values: readonly unknown[]): Row[] | Promise<Row[]>
  run(...values: unknown[]): unknown
  safeIntegers(on?: boolean): this
}

/** The part of the driver `better-sqlite3` that is used here. */
export interface Connection {
  prepare(sql: string): BetterStatement
}

/**
 * Caches the prepared statements of a connection, regardless of which code prepares them: preparing a statement takes
 * longer than running it.
 */
export function keepBetterStatements(connection: Connection): void {
  const ready = new BoundedMap<string, BetterStatement>(MOST_READY)
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    const known = ready.get(sql)
    if (known) return known
    if (!isLasting(sql)) return prepare(sql)
    const statement = changeable(prepare(sql), () => ready.delete(sql))
    ready.set(sql, statement)
    return statement
  }
}

/**
 * Lets other requests run between the statements of a long transaction of the connection, because this driver blocks
 * the server's thread. A statement that has to wait returns a promise.
 */
export function letRequestsIn(connection: Connection): void {
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    const statement = prepare(sql)
    for (const method of ['all', 'run'] as const) {
      const run = statement[method].bind(statement) as (...bindings: any[]) => any
      statement[method] = (...bindings: any[]) =>
        isLongTurn() ? setImmediate().then(() => run(...bindings)) : run(...bindings)
    }
    return statement
  }
}

/** Removes a statement from the cache when its caller changes its number format. */
function changeable(statement: BetterStatement, leave: () => void): BetterStatement {
  const { safeIntegers } = statement
  statement.safeIntegers = (on) => {
    leave()
    return safeIntegers.call(statement, on) as typeof statement
  }
  return statement
}

/**
 * Returns the rows of a select, or of a write with `returning`; none for other statements. This driver blocks until the
 * rows are read. Only a writing connection waits without blocking, for the lock of another process and to let other
 * requests run.
 */
export function selectAtOnce(
  connection: Connection,
  sql: string,
  values: readonly unknown[]
): Row[] | Promise<Row[]> {
  const statement = connection.prepare(sql)
  if (statement.reader) return statement.all(values.map(bound))
  const done = statement.run(...values.map(bound))
  return done instanceof Promise ? done.then(() => []) : []
}

/** Converts booleans and dates, which this driver cannot bind, in the same way as the other driver. */
function bound(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Date ? value.getTime() : value
}
