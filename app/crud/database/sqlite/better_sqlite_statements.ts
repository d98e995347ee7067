import { isLasting, MOST_READY } from './sqlite_statements.js'

type Row = Record<string, unknown>

export interface BetterStatement {
  all(values: readonly unknown[]): Row[]
  run(...values: unknown[]): unknown
  safeIntegers(on?: boolean): this
}

/** What of the driver `better-sqlite3` is used here. */
export interface Connection {
  prepare(sql: string): BetterStatement
}

/**
 * Has a connection keep the statements that come again and again, whoever prepares them: to prepare one
 * takes longer than to run it.
 */
export function keepBetterStatements(connection: Connection): void {
  const ready = new Map<string, BetterStatement>()
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    if (!isLasting(sql)) return prepare(sql)
    const statement = ready.get(sql) ?? changeable(prepare(sql), () => ready.delete(sql))
    /* What was used last stands last, and goes last. */
    ready.delete(sql)
    ready.set(sql, statement)
    if (ready.size > MOST_READY) ready.delete(ready.keys().next().value!)
    return statement
  }
}

/** Who wants other numbers of a statement gets one of his own. */
function changeable(statement: BetterStatement, leave: () => void): BetterStatement {
  const { safeIntegers } = statement
  statement.safeIntegers = (on) => {
    leave()
    return safeIntegers.call(statement, on) as typeof statement
  }
  return statement
}

/**
 * The rows of a select, or of a write that tells what it wrote. They are there at once: this driver lets
 * nothing else happen meanwhile.
 */
export function selectAtOnce(
  connection: Connection,
  sql: string,
  values: readonly unknown[]
): Row[] {
  return connection.prepare(sql).all(values.map(bound))
}

/** This driver takes neither of them; the other one makes of them what is made here. */
function bound(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Date ? value.getTime() : value
}
