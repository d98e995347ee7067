import { failedStatement } from '../failed_statement.js'
import type { DatabaseError } from '../introspection.js'
import { raisedMessage, shortened } from '../failed_statement.js'

/** Parses an error of SQLite, of either driver; null if it is not caused by the data. */
export function explainSqlite(error: unknown): DatabaseError | null {
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'SQLITE_MISMATCH' || code === 'SQLITE_TOOBIG') return { kind: 'range', columns: [] }
  if (code === 'SQLITE_ERROR') return explainGeneral(message ?? '')
  if (!code?.startsWith('SQLITE_CONSTRAINT') || !message) return null

  const reason = reasonIn(error as Error & { code: string })
  const match = /^(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s.exec(reason)
  if (!match) return explainOther(reason)
  const [, name, rest = ''] = match
  switch (name) {
    case 'UNIQUE':
      return { kind: 'unique', ...columnsIn(rest) }
    case 'NOT NULL':
      return { kind: 'not_null', ...columnsIn(rest) }
    case 'CHECK':
      return { kind: 'check', columns: namesIn(rest) }
    default:
      return brokenReference(message)
  }
}

/** Parses errors without a specific code. */
function explainGeneral(message: string): DatabaseError | null {
  if (/cannot modify [^]* because it is a view$/.test(message)) return { kind: 'view', columns: [] }
  /* Error of a check or a generated column */
  const isValue = /(^|: | - )(malformed JSON|integer overflow)$/.test(message)
  return isValue ? { kind: 'range', columns: [] } : null
}

/** Parses other constraint errors: a STRICT table refused a value of another type, or a trigger raised an error. */
function explainOther(reason: string): DatabaseError {
  const [, place] = /^cannot store \w+ value in \w+ column (.*)$/s.exec(reason) ?? []
  if (place) return { kind: 'range', ...columnsIn(place) }
  return { kind: 'raised', columns: [], message: shortened(reason) }
}

/** Returns the message without the statement. The driver `sqlite3` puts its code before the reason. */
function reasonIn(error: Error & { code: string }): string {
  const { code, message } = error
  if (code === 'SQLITE_CONSTRAINT') {
    const start = message.lastIndexOf(`${code}: `)
    return start < 0 ? '' : message.slice(start + code.length + 2)
  }
  const start = message.lastIndexOf(`${NAMES[code] ?? ' - '} constraint failed`)
  return start < 0 ? raisedMessage(error) : message.slice(start)
}

/** Constraints by error code of `better-sqlite3`. */
const NAMES: Record<string, string> = {
  SQLITE_CONSTRAINT_UNIQUE: 'UNIQUE',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'UNIQUE',
  SQLITE_CONSTRAINT_ROWID: 'UNIQUE',
  SQLITE_CONSTRAINT_NOTNULL: 'NOT NULL',
  SQLITE_CONSTRAINT_CHECK: 'CHECK',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'FOREIGN KEY',
  /* SQLite enforces a reference with RESTRICT by a trigger. */
  SQLITE_CONSTRAINT_TRIGGER: 'FOREIGN KEY',
}

/**
 * Returns the kind of a broken reference: an insert refers to a missing row, and a delete removes a row that others
 * refer to. For an update, the kind is unknown.
 */
function brokenReference(message: string): DatabaseError {
  const { verb, table, columns = [] } = failedStatement(message) ?? {}
  const reference = verb === 'insert' ? 'missing' : verb === 'delete' ? 'used' : undefined
  return { kind: 'foreign_key', table, columns, reference }
}

/**
 * Returns the table and the columns that a message names: `products.sku, products.name`. A message about an index on an
 * expression names neither.
 */
function columnsIn(text: string): Pick<DatabaseError, 'table' | 'columns'> {
  if (text.startsWith('index ')) return { columns: [] }
  const names = text.split(', ')
  return {
    table: names[0].slice(0, names[0].lastIndexOf('.')),
    columns: names.map((name) => name.slice(name.lastIndexOf('.') + 1)),
  }
}

/**
 * Returns the identifiers of an expression, without string literals. For a named constraint the message has only its
 * name.
 */
function namesIn(expression: string): string[] {
  return expression.replace(/'(?:[^']|'')*'/g, '').match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
}
