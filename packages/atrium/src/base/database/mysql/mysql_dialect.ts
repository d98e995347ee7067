import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../../columns/column.js'
import type {
  Comparison,
  Dialect,
  Statement,
  StoredColumn,
  SumExpression,
  DatePart,
} from '../dialect.js'
import type { DatabaseError, TableIntrospection } from '../introspection.js'
import {
  impossibleComparison,
  isPossibleValue,
  isWrittenUuid,
  ServerDialect,
} from '../server_dialect.js'
import { noteConversions, type ConnectionForms } from '../connection_forms.js'
import { localTimeSql } from '../zone_offsets.js'
import { explainMysql } from './mysql_errors.js'
import { mysqlForms } from './mysql_connection.js'
import { mysqlMatch } from '../server_match.js'
import { GEOMETRIES, readMysqlTable } from './mysql_table.js'
import { joined, type Sql } from '../../sql/sql.js'
import type { TextPattern } from '../../values/text_pattern.js'
import { OutOfTime } from '../time_limit.js'

/** The dialect of MySQL and MariaDB. */
export class MysqlDialect extends ServerDialect implements Dialect {
  readonly returnsWrittenRows = false
  protected readonly quoted = quoted
  protected readonly limited = limited

  readTable(client: QueryClientContract, table: string): Promise<TableIntrospection | null> {
    return readMysqlTable(client, table)
  }

  explain(error: unknown): DatabaseError | null {
    return explainMysql(error)
  }

  select(table: string, column: Column): string {
    const name = this.nameOf(table, column)
    return isGeometry(column) ? `st_astext(${name}) as ${quoted(column.name)}` : name
  }

  /**
   * Reads the value as text, which is exact for every type except 64-bit floats; these and bytes are read unchanged.
   */
  stored(table: string, column: StoredColumn, as: string): string {
    const name = this.nameOf(table, column)
    return `${column.kind === 'binary' ? name : storedForm(name, column)} as ${quoted(as)}`
  }

  sizeOf(table: string, column: Column): string {
    return `octet_length(${this.nameOf(table, column)})`
  }

  compareStored(table: string, column: Column, operator: string, value: unknown): Sql {
    const [name, place] = compared(this.nameOf(table, column), column)
    return { sql: `${name} ${operator} ${place}`, bindings: [value] }
  }

  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql {
    if (!isPossibleValue(column, value))
      return impossibleComparison(this.nameOf(table, column), operator)
    if (isWrittenUuid(column) && (operator === '=' || operator === '<>')) {
      return this.compareList(table, column, [value], operator === '<>')
    }
    if (operator === '=' && comparesLoosely(column)) {
      return this.compareList(table, column, [value], false)
    }
    const [name, place] = compared(this.nameOf(table, column), column)
    return { sql: `${name} ${operator} ${place}`, bindings: [this.bind(column, value)] }
  }

  /**
   * The first condition uses the column's default, looser comparison, so that an index can be used; the second
   * condition removes the additional rows.
   */
  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql {
    values = values.filter((value) => isPossibleValue(column, value))
    if (values.length === 0)
      return impossibleComparison(this.nameOf(table, column), negate ? '<>' : '=')
    if (isWrittenUuid(column)) {
      values = values.flatMap((value) => [value, String(value).toUpperCase()])
    }
    const own = this.nameOf(table, column)
    const [name, place] = compared(own, column)
    const places = (one: string) => values.map(() => one).join(', ')
    const exact = {
      sql: `${name} ${negate ? 'not in' : 'in'} (${places(place)})`,
      bindings: values.map((value) => this.bind(column, value)),
    }
    if (negate || !comparesLoosely(column)) return exact
    return joined([{ ...exact, sql: `${own} in (${places('?')})` }, exact], 'and')
  }

  match(
    table: string,
    column: Column,
    pattern: TextPattern,
    { foldCase, negate }: { foldCase: boolean; negate: boolean }
  ): Sql {
    const text = `convert(${this.nameOf(table, column)} using utf8mb4) ${EXACTLY}`
    const test = mysqlMatch(text, pattern, foldCase)
    return negate ? { ...test, sql: `not (${test.sql})` } : test
  }

  /** Null is first by default, and last in descending order. */
  order(table: string, column: Column, direction: 'asc' | 'desc'): string {
    return `${compared(this.nameOf(table, column), column)[0]} ${direction}`
  }

  groupOf(table: string, column: Column): string {
    const name = this.nameOf(table, column)
    return isWrittenUuid(column) ? `lower(${name})` : compared(name, column)[0]
  }

  measureOf(table: string, column: Column): string {
    const name = this.nameOf(table, column)
    if (column.sqlType.startsWith('bit')) return `${name} + 0`
    return column.sqlType.startsWith('float') ? widened(name) : name
  }

  /** Sums of integers and decimals are decimals of up to 65 digits. */
  sumOf(table: string, column: Column): SumExpression[] {
    return [{ sql: exactly(`sum(${this.measureOf(table, column)})`, column), exponent: 0 }]
  }

  boundOf(table: string, column: Column, bound: 'min' | 'max'): string {
    return exactly(`${bound}(${this.measureOf(table, column)})`, column)
  }

  beginOf(table: string, column: Column, part: DatePart, zone?: string): string {
    const forms = { year: '%Y', month: '%Y-%m', day: '%Y-%m-%d' }
    const plus = (moment: string, offset: string) =>
      `date_add(${moment}, interval (${offset}) second)`
    const local = localTimeSql(this.nameOf(table, column), column, zone, String, plus)
    return `date_format(${local}, '${forms[part]}')`
  }

  listOfTexts(expression: string): string {
    return `cast(json_arrayagg(cast(${expression} as char)) as char)`
  }

  /** Reads the key again if the driver has rounded it, as it does without `supportBigNumbers`. */
  async insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown> {
    if (typeof reported !== 'number' || Number.isSafeInteger(reported)) return reported
    const [{ key }] = await this.selectRows(client, 'select last_insert_id() as `key`', [])
    return key
  }

  /** Generates the key before the insert, because an insert returns only auto-increment keys. */
  async keyToInsert(client: QueryClientContract, column: Column) {
    if (column.defaultExpression === undefined) return column.defaultText ?? undefined
    const [rows] = await client.rawQuery(`select (${column.defaultExpression}) as made`)
    return rows[0].made
  }

  /** Never called, because this database does not return written rows. */
  async hasTriggers(): Promise<boolean> {
    return true
  }

  async insertRow(client: QueryClientContract, table: string, row: Record<string, unknown>) {
    const [key] = await client.getWriteClient().table(table).insert(row)
    return key
  }

  /** Converts numbers to text for text columns. A comparison with a number would convert the column to numbers. */
  bind(column: Column, value: unknown): unknown {
    if (typeof value === 'boolean') return Number(value)
    return column.isText && typeof value === 'number' ? String(value) : value
  }

  /**
   * Returns one line per row of EXPLAIN, with the row's columns that are not empty, such as `table: films, type: ref,
   * key: films_genre`.
   */
  async planOf(client: QueryClientContract, { sql, bindings }: Sql): Promise<string[]> {
    const steps: Array<Record<string, unknown>> = await this.selectRows(
      client,
      `explain ${sql}`,
      bindings
    )
    return steps.map((step) => {
      const known = Object.entries(step).filter(([, value]) => value !== null && value !== '')
      return known.map(([name, value]) => `${name}: ${String(value)}`).join(', ')
    })
  }

  async plannedRows(
    client: QueryClientContract,
    { sql, bindings }: Sql
  ): Promise<number | undefined> {
    const [step] = await this.selectRows(client, `explain extended ${sql}`, bindings)
    const rows = Number(step?.rows) * (Number(step?.filtered) / 100)
    return Number.isFinite(rows) ? Math.round(rows) : undefined
  }

  protected override partsOf(result: [any[], any[]]): [any[], any[]] {
    return result
  }

  statement(client: QueryClientContract, sql: string, values: readonly unknown[]): Statement {
    const forms = mysqlForms(client)
    return (connection) => ask(connection, sql, values, forms)
  }

  forms(client: QueryClientContract): ConnectionForms | null {
    return mysqlForms(client)
  }
}

function ask(
  connection: any,
  sql: string,
  values: readonly unknown[] = [],
  forms: ConnectionForms | null = null
): Promise<Array<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const query = { sql, values, ...forms?.options() }
    connection.query(query, (error: unknown, rows: any, fields: any[]) => {
      if (error) return reject(error)
      if (forms && fields) noteConversions(rows, forms.conversions(fields))
      resolve(rows)
    })
  })
}

/**
 * Runs a statement that the server ends when the time limit is exceeded.
 *
 * @throws OutOfTime
 */
async function limited<Result>(
  connection: unknown,
  milliseconds: number,
  run: () => PromiseLike<Result>
): Promise<Result> {
  await ask(connection, timeSetting(String(milliseconds / 1000), String(milliseconds)))
  try {
    return await run()
  } catch (error) {
    throw ENDED.has((error as { errno?: number }).errno) ? new OutOfTime() : error
  } finally {
    await ask(connection, timeSetting('default', 'default'))
  }
}

/* Error codes of MariaDB and of MySQL */
const ENDED = new Set<number | undefined>([1969, 3024])

/** Returns the statement that sets the time limit. MariaDB executes only the first comment, MySQL only the second. */
function timeSetting(mariadb: string, mysql: string): string {
  return `set session /*M! max_statement_time = ${mariadb} */ /*!50708 max_execution_time = ${mysql} */`
}

/* The only binary collation of every version; `like` with it respects trailing spaces. */
const EXACTLY = 'collate utf8mb4_bin'

function comparesLoosely(column: Column): boolean {
  return (
    column.isText &&
    column.collation === 'loose' &&
    column.sqlType !== 'uuid' &&
    !isGeometry(column)
  )
}

function isGeometry({ sqlType }: StoredColumn): boolean {
  return GEOMETRIES.has(sqlType)
}

function isDecimal({ kind, sqlType }: StoredColumn): boolean {
  return kind === 'number' && sqlType.startsWith('decimal')
}

/** Reads an integer or a decimal as text, which is exact; a 64-bit float as text would lose digits. */
function exactly(sql: string, column: Column): string {
  return column.kind === 'integer' || isDecimal(column) ? `cast(${sql} as char)` : sql
}

function storedForm(name: string, column: StoredColumn): string {
  if (isGeometry(column)) return `st_astext(${name})`
  if (column.sqlType.startsWith('bit')) return `cast(${name} + 0 as char)`
  if (column.kind !== 'number' || isDecimal(column)) return `cast(${name} as char)`
  return column.sqlType.startsWith('float') ? widened(name) : name
}

/** Converts a 32-bit float via text, because its value as a double has other digits. */
function widened(name: string): string {
  return `cast(cast(${name} as char) as double)`
}

/** Returns the expressions of column and value for an exact comparison. */
function compared(name: string, column: Column): [column: string, value: string] {
  if (column.kind === 'number' && column.sqlType.startsWith('float')) return [widened(name), '?']
  /* A value that is bound as text would be compared as a float. */
  if (isDecimal(column)) return [name, `cast(? as decimal(65, ${comparedScale(column)}))`]
  if (isGeometry(column)) return [`st_astext(${name})`, '?']
  if (column.sqlType === 'uuid') return [`cast(${name} as char)`, '?']
  if (!comparesLoosely(column)) return [name, '?']
  return [`cast(convert(${name} using utf8mb4) as binary)`, 'cast(? as binary)']
}

/**
 * Returns the scale of the decimal that a compared value is cast to: 65 digits minus the column's integer digits, at
 * most 30.
 */
function comparedScale({ decimalRange }: Column): number {
  const whole = decimalRange?.most.split('.')[0].length ?? 0
  return Math.min(30, 65 - whole)
}

/** True for a text column with UUIDs, which can be stored in uppercase. */
function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
