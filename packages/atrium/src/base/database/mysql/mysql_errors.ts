import type { DatabaseError } from '../introspection.js'
import { shortened } from '../failed_statement.js'

interface DriverError {
  errno?: number
  sqlState?: string
  /** The server's message, without the statement that Knex puts before it */
  sqlMessage?: string
  sql?: string
}

/**
 * Parses an error of MySQL or MariaDB; null if it is not caused by the data. Names are only in the message, after text
 * that a caller may have sent, so the search starts at the end.
 */
export function explainMysql(error: unknown): DatabaseError | null {
  const { errno, sqlState = '', sqlMessage = '', sql = '' } = error as DriverError
  if (isRaised(errno, sqlState)) {
    return { kind: 'raised', columns: [], message: shortened(sqlMessage) }
  }
  const table = tableOf(sql)
  switch (errno) {
    /* "Duplicate entry 'x' for key 'products.products_sku_unique'"; MariaDB omits the table */
    case 1062:
    case 1586:
      return { kind: 'unique', table, columns: [], constraint: lastName(sqlMessage)?.at(-1) }
    case 1216:
    case 1452:
      return { kind: 'foreign_key', reference: 'missing', ...foreignKeyIn(sqlMessage) }
    case 1217:
    case 1451:
      return { kind: 'foreign_key', reference: 'used', columns: [] }
    case 1048:
    case 1364:
      return { kind: 'not_null', table, columns: [firstName(sqlMessage)] }
    /* A value that is not in an enum is reported as truncated. */
    case 1265:
      return { kind: 'check', table, columns: [lastColumn(sqlMessage)] }
    case 3819:
      return { kind: 'check', table, columns: [], constraint: firstName(sqlMessage) }
    /* "CONSTRAINT `name` failed for `database`.`table`"; the check of a column has the column's name */
    case 4025: {
      const [, name = ''] = /^CONSTRAINT `([^`]+)` failed/.exec(sqlMessage) ?? []
      return { kind: 'check', table, columns: [name.split('.').at(-1)!], constraint: name }
    }
    /* A check option of a view, or a row that fits no partition */
    case 1369:
    case 1526:
    case 1748:
      return { kind: 'check', table, columns: [] }
    /* A view, or a column of one, that can't be written */
    case 1288:
    case 1348:
    case 1393:
    case 1394:
    case 1395:
    case 1471:
      return { kind: 'view', columns: [] }
    default:
      return RANGE_ERRORS.has(errno ?? 0) || sqlState.startsWith('22')
        ? { kind: 'range', table, columns: [lastColumn(sqlMessage)] }
        : null
  }
}

/**
 * Error numbers for values that a column cannot store: too long, out of range, invalid datetime, invalid number, bytes
 * that are not text, invalid JSON, row too large, generated column
 */
const RANGE_ERRORS = new Set([
  1118, 1264, 1292, 1366, 1367, 1406, 1411, 1525, 1906, 3105, 3140, 4079,
])

const SIGNAL = 1644
/* Database code can raise an error with a custom number; the server's own numbers are lower. */
const LEAST_OWN_NUMBER = 20_000

/** True for errors of `signal`, with any state and number. */
function isRaised(errno: number | undefined, state: string): boolean {
  const isOwnState = /^(45|[5-9I-Z])/.test(state) && !/^(70|X[AX])/.test(state)
  return errno === SIGNAL || isOwnState || (errno ?? 0) >= LEAST_OWN_NUMBER
}

/** Returns the table that a statement writes to, which the message seldom names. */
function tableOf(sql: string): string | undefined {
  return /^(?:insert|replace)(?: ignore)? into `([^`]+)`|^update `([^`]+)`|^delete from `([^`]+)`/i
    .exec(sql)
    ?.slice(1)
    .find((name) => name !== undefined)
}

/**
 * Parses "(`database`.`table`, CONSTRAINT `name` FOREIGN KEY (`a`, `b`) REFERENCES ...", which the message lacks if the
 * user has no privileges on the table
 */
function foreignKeyIn(message: string): Pick<DatabaseError, 'table' | 'columns'> {
  const [, table, names = ''] =
    /\((?:`[^`]+`\.)?`([^`]+)`, CONSTRAINT `[^`]+` FOREIGN KEY \(([^)]*)\)/.exec(message) ?? []
  return { table, columns: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name) }
}

/**
 * Returns the parts of the quoted name at the end of a message, such as `'products.products_sku_unique'`.
 */
function lastName(message: string): string[] | undefined {
  return /'([^']+)'$/.exec(message)?.[1].split('.')
}

/** Returns the first quoted name in a message, such as `'price'`. */
function firstName(message: string): string {
  return /'([^']+)'/.exec(message)?.[1] ?? ''
}

/** Parses "... for column 'price' at row 1"; MariaDB writes `database`.`table`.`price` */
function lastColumn(message: string): string {
  const names = [...message.matchAll(/for column (?:'([^']+)'|(?:`[^`]+`\.)*`([^`]+)`) at row/g)]
  const [, plain, quoted] = names.at(-1) ?? []
  return plain ?? quoted ?? ''
}
