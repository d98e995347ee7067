import type { Fault } from '../introspection.js'

interface DriverError {
  errno?: number
  /** The server's message, without the statement that knex puts before it */
  sqlMessage?: string
  sql?: string
}

/**
 * Parses an error of MySQL or MariaDB; null if it is not about the data. The names appear only in the
 * message, after text that a caller may have sent, so the search starts at the end.
 */
export function explainMysql(error: unknown): Fault | null {
  const { errno, sqlMessage = '', sql = '' } = error as DriverError
  const table = tableOf(sql)
  switch (errno) {
    /* "Duplicate entry 'x' for key 'products.products_sku_unique'"; MariaDB leaves out the table */
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
    /* A value that an enum lacks is reported as truncated. */
    case 1265:
      return { kind: 'check', table, columns: [lastColumn(sqlMessage)] }
    case 3819:
      return { kind: 'check', table, columns: [], constraint: firstName(sqlMessage) }
    /* "CONSTRAINT `name` failed for `database`.`table`"; the check of a column has the column's name */
    case 4025: {
      const [, name = ''] = /^CONSTRAINT `([^`]+)` failed/.exec(sqlMessage) ?? []
      return { kind: 'check', table, columns: [name.split('.').at(-1)!], constraint: name }
    }
    default:
      return RANGE_FAULTS.has(errno ?? 0)
        ? { kind: 'range', table, columns: [lastColumn(sqlMessage)] }
        : null
  }
}

/** Too long, out of range, invalid moment, invalid number, bytes that are no text, invalid JSON */
const RANGE_FAULTS = new Set([1264, 1292, 1366, 1367, 1406, 1411, 1525, 3140, 4079])

/** The table that a statement writes to, which the message seldom names. */
function tableOf(sql: string): string | undefined {
  return /^(?:insert|replace)(?: ignore)? into `([^`]+)`|^update `([^`]+)`|^delete from `([^`]+)`/i
    .exec(sql)
    ?.slice(1)
    .find((name) => name !== undefined)
}

/**
 * "(`database`.`table`, CONSTRAINT `name` FOREIGN KEY (`a`, `b`) REFERENCES ..."; missing if the user
 * lacks rights
 */
function foreignKeyIn(message: string): Pick<Fault, 'table' | 'columns'> {
  const [, table, names = ''] =
    /\((?:`[^`]+`\.)?`([^`]+)`, CONSTRAINT `[^`]+` FOREIGN KEY \(([^)]*)\)/.exec(message) ?? []
  return { table, columns: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name) }
}

/** `'products.products_sku_unique'` at the end */
function lastName(message: string): string[] | undefined {
  return /'([^']+)'$/.exec(message)?.[1].split('.')
}

/** `'price'` */
function firstName(message: string): string {
  return /'([^']+)'/.exec(message)?.[1] ?? ''
}

/** "... for column 'price' at row 1"; MariaDB writes `database`.`table`.`price` */
function lastColumn(message: string): string {
  const names = [...message.matchAll(/for column (?:'([^']+)'|(?:`[^`]+`\.)*`([^`]+)`) at row/g)]
  const [, plain, quoted] = names.at(-1) ?? []
  return plain ?? quoted ?? ''
}
