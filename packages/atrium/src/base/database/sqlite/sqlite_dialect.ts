import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../../columns/column.js'
import type {
  Comparison,
  Dialect,
  Query,
  Statement,
  StoredColumn,
  SumExpression,
  DatePart,
} from '../dialect.js'
import type { DatabaseError, TableIntrospection } from '../introspection.js'
import { quoted, insertSql, type Sql } from '../../sql/sql.js'
import type { TextPattern } from '../../values/text_pattern.js'
import { timeLeft, OutOfTime } from '../time_limit.js'
import { selectAtOnce } from './better_sqlite_statements.js'
import { BEGIN } from './commit_groups.js'
import { idleReader, readersOf } from './sqlite_connection.js'
import { explainSqlite } from './sqlite_errors.js'
import { completeForms, sampleForms } from './sqlite_forms.js'
import { matchTest } from './sqlite_match.js'
import { comparable, operandOf, sqliteLocalTime } from './sqlite_operand.js'
import { withConnection } from '../with_connection.js'
import { sqliteMeasure, sqliteQuickSum, sqliteSum } from './sqlite_sums.js'
import { selectOnce, selectReady } from './sqlite_statements.js'
import { readSqliteTable } from './sqlite_table.js'

/**
 * Placeholder of a value that a column is compared with. On an analysed table, the SQLite version of `better-sqlite3`
 * would plan a cached statement again for each new value of a plain question mark, which takes longer than most lists.
 * The other driver's version uses one plan for all values.
 */
const VALUE = '+?'

/** The dialect of SQLite, for both drivers. */
export class SqliteDialect implements Dialect {
  readonly begin = BEGIN
  readonly lockClause = ''
  readonly quote = quoted
  readonly mixesTypes = true
  readonly returnsWrittenRows = true

  readTable(client: QueryClientContract, table: string): Promise<TableIntrospection | null> {
    return readSqliteTable(client, table)
  }

  readonly sampleForms = sampleForms

  async completeForms(
    client: QueryClientContract,
    table: string,
    columns: readonly Column[],
    pause: () => Promise<boolean>
  ): Promise<void> {
    const select = (sql: string, values: unknown[]) => this.selectRows(client, sql, values)
    await completeForms(table, columns, select, pause)
  }

  /**
   * Returns the meaning of a driver error. The constraint is read from the end of the message only, because the text
   * before it can contain values from the request.
   */
  explain(error: unknown): DatabaseError | null {
    return explainSqlite(error)
  }

  /** The driver reads integers as JavaScript numbers, which are exact up to 2^53; larger integers are read as text. */
  select(table: string, column: Column): string {
    const name = this.nameOf(table, column)
    const value = isShownAsStored(column) ? name : operandOf(name, column)
    if (column.kind !== 'integer')
      return value === name ? name : `${value} as ${quoted(column.name)}`
    return `case when ${name} between -9007199254740991 and 9007199254740991 then ${name} else cast(${name} as text) end as ${quoted(column.name)}`
  }

  /** Each value has its own type, regardless of the column: a decimal column can contain 64-bit integers. */
  stored(table: string, column: StoredColumn, as: string): string {
    const name = operandOf(this.nameOf(table, column), column)
    const isLong = `typeof(${name}) = 'integer' and ${name} not between -9007199254740991 and 9007199254740991`
    return `case when ${isLong} then cast(${name} as text) else ${name} end as ${quoted(as)}`
  }

  sizeOf(table: string, column: Column): string {
    return `octet_length(${this.nameOf(table, column)})`
  }

  compareStored(table: string, column: Column, operator: string, value: unknown): Sql {
    const name = operandOf(this.nameOf(table, column), column)
    return { sql: `${name} ${operator} ${VALUE}${collation(column)}`, bindings: [value] }
  }

  nameOf(table: string, column: Pick<Column, 'name'>): string {
    return `${quoted(table)}.${quoted(column.name)}`
  }

  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql {
    if (column.kind === 'uuid' && (operator === '=' || operator === '<>')) {
      return this.compareList(table, column, [value], operator === '<>')
    }
    const name = operandOf(this.nameOf(table, column), column)
    const sql = `${name} ${operator} ${placeholderOf(column, value)}${collation(column)}`
    const guard =
      operator === '=' || operator === '<>' ? undefined : guardOf(name, column, operator)
    return {
      sql: guard ? `(${sql} and ${guard})` : sql,
      bindings: [this.bind(column, value)],
    }
  }

  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql {
    /* UUIDs are text on SQLite, and can be stored in uppercase. */
    if (column.kind === 'uuid')
      values = values.flatMap((value) => [value, String(value).toUpperCase()])
    const placeholders = values.map((value) => placeholderOf(column, value)).join(', ')
    /* The collation is added to the column, because a list is compared with the collation of the left side. */
    const name = `${operandOf(this.nameOf(table, column), column)}${collation(column)}`
    return {
      sql: `${name} ${negate ? 'not in' : 'in'} (${placeholders})`,
      bindings: values.map((value) => this.bind(column, value)),
    }
  }

  match(
    table: string,
    column: Column,
    pattern: TextPattern,
    { foldCase, negate }: { foldCase: boolean; negate: boolean }
  ): Sql {
    const name = operandOf(this.nameOf(table, column), column)
    const test = matchTest(name, pattern, foldCase)
    return negate ? { ...test, sql: `not (${test.sql})` } : test
  }

  /** Null is first by default, and last in descending order. */
  order(table: string, column: Column, direction: 'asc' | 'desc'): string {
    const name = operandOf(this.nameOf(table, column), column)
    return `${name}${collation(column)} ${direction}`
  }

  groupOf(table: string, column: Column): string {
    const name = operandOf(this.nameOf(table, column), column)
    /* As in `compareList`: a UUID can be stored in uppercase. */
    if (column.kind === 'uuid') return `lower(${name})`
    const exact = `case when ${name} between -9007199254740991 and 9007199254740991 then ${name} else cast(${name} as text) end`
    return column.kind === 'integer' ? exact : `${name}${collation(column)}`
  }

  measureOf(table: string, column: Column): string {
    return sqliteMeasure(this.nameOf(table, column), column)
  }

  sumOf(table: string, column: Column): SumExpression[] {
    return sqliteSum(this.nameOf(table, column), column)
  }

  quickSumOf(table: string, column: Column) {
    return sqliteQuickSum(this.nameOf(table, column), column)
  }

  boundOf(table: string, column: Column, bound: 'min' | 'max'): string {
    const value = `${bound}(${this.measureOf(table, column)})`
    const isLong = `typeof(${value}) = 'integer' and ${value} not between -9007199254740991 and 9007199254740991`
    return `case when ${isLong} then cast(${value} as text) else ${value} end`
  }

  /** Datetimes are text that begins with the day. */
  beginOf(table: string, column: Column, part: DatePart, zone?: string): string {
    const length = { year: 4, month: 7, day: 10 }[part]
    return `substr(${sqliteLocalTime(this.nameOf(table, column), column, zone)}, 1, ${length})`
  }

  listOfTexts(expression: string): string {
    return `json_group_array(cast(${expression} as text))`
  }

  async insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown> {
    if (typeof reported !== 'number' || Number.isSafeInteger(reported)) return reported
    const rows = await client.rawQuery('select cast(last_insert_rowid() as text) as id')
    return rows[0].id
  }

  async hasTriggers(client: QueryClientContract, table: string): Promise<boolean> {
    const rows = await this.selectRows(
      client,
      "select 1 from sqlite_master where type = 'trigger' and tbl_name = ? collate nocase limit 1",
      [table]
    )
    return rows.length > 0
  }

  async insertRow(client: QueryClientContract, table: string, row: Record<string, unknown>) {
    if (client.isTransaction) {
      const { sql, bindings } = this.insertRowSql(table, row)
      const [inserted] = await this.selectRows(client, sql, bindings)
      return inserted.key
    }
    const [key] = await client.getWriteClient().table(table).insert(row)
    return key
  }

  insertRowSql(table: string, row: Record<string, unknown>): Sql {
    const { sql, bindings } = insertSql(quoted(table), row)
    return { sql: `${sql} returning rowid as key`, bindings }
  }

  bind(column: Column, value: unknown): unknown {
    return column.kind === 'boolean' && typeof value === 'boolean' ? Number(value) : value
  }

  /** Runs a list on a read connection. On the only writing connection it would wait for every earlier write. */
  async read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result> {
    const readers = client.isTransaction ? undefined : readersOf(client)
    if (!readers) return await run()
    const left = this.#timeLeft(client)
    return await withConnection(readers, (connection) =>
      interrupted(connection, left, () => {
        query.knexQuery.connection(connection)
        return run()
      })
    )
  }

  /**
   * The limit is an expression: with a bound limit, newer SQLite versions plan the statement again at each run, and
   * with a small literal limit, they sort the whole table instead of using an index that requires a little sorting.
   */
  limit(count: number): string {
    return `cast(${Math.trunc(count)} as integer)`
  }

  async selectRows(client: QueryClientContract, sql: string, values: readonly unknown[]) {
    /* In debug mode Lucid runs the query: every query must be reported, and Lucid reports only its own. */
    if (client.debug) return await client.rawQuery(sql, values as any[])
    const isPatient = client.dialect.name === 'sqlite3'
    const left = this.#timeLeft(client)
    const idle = isPatient ? undefined : idleReader(client)
    if (idle) return selectAtOnce(idle, sql, values)
    const reader = client.isTransaction ? client : (readersOf(client) ?? client)
    return await withConnection(reader, (connection) =>
      isPatient
        ? interrupted(connection, left, () => selectReady(connection, sql, values))
        : selectAtOnce(connection, sql, values)
    )
  }

  async planOf(client: QueryClientContract, { sql, bindings }: Sql): Promise<string[]> {
    const explain = `explain query plan ${sql}`
    const reader = client.isTransaction ? client : (readersOf(client) ?? client)
    const steps: Array<Record<string, unknown>> =
      client.dialect.name === 'sqlite3'
        ? await withConnection(reader, (connection) => selectOnce(connection, explain, bindings))
        : await this.selectRows(client, explain, bindings)
    const depths = new Map<unknown, number>()
    return steps.map(({ id, parent, detail }) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return '  '.repeat(depth) + String(detail)
    })
  }

  statement(client: QueryClientContract, sql: string, values: readonly unknown[]): Statement {
    return client.dialect.name === 'sqlite3'
      ? (connection) => selectReady(connection, sql, values)
      : async (connection) => selectAtOnce(connection, sql, values)
  }

  stopsReads(client: QueryClientContract): boolean {
    return client.dialect.name === 'sqlite3' && !client.isTransaction
  }

  #timeLeft(client: QueryClientContract): number | undefined {
    if (client.isTransaction) return undefined
    const left = timeLeft()
    return this.stopsReads(client) ? left : undefined
  }
}

/**
 * Returns the SQL placeholder for a value. A text is cast to a number if the column is read through an expression,
 * because SQLite converts a compared text only for a plain column.
 */
function placeholderOf(column: Column, value: unknown): string {
  const isExpression = column.hasOtherForms && isShownAsStored(column)
  return isExpression && typeof value === 'string' ? `cast(${VALUE} as numeric)` : VALUE
}

/**
 * Returns a condition that excludes values of other types from `<`, `<=`, `>` and `>=`, because SQLite can store any
 * type in any row; undefined if no condition is needed.
 */
function guardOf(
  name: string,
  column: Column,
  operator: '<' | '<=' | '>' | '>='
): string | undefined {
  /* No condition is needed: a row number is always an integer, and a text column converts all values to text. */
  if (column.autoIncrement || (column.isText && !column.hasOtherForms)) return undefined
  return comparable(name, column.kind, operator, column.forms?.isUsual)
}

/** True for a number column: a number that is stored as text is found as a number, but shown as stored. */
function isShownAsStored({ kind }: Column): boolean {
  return kind === 'number' || kind === 'integer'
}

/** Adds a collation that compares text by code point even if the column declares another collation. */
function collation(column: Column): string {
  return column.isText ? ' collate binary' : ''
}

/*
 * Milliseconds between attempts to interrupt: a statement that still waits for its thread is not running yet and can't
 * be interrupted.
 */
const AGAIN = 20

/**
 * Runs a statement that is interrupted when the time limit is exceeded.
 *
 * @param connection    connection of the driver `sqlite3`, used only by this call
 * @param milliseconds  undefined: no limit
 * @throws OutOfTime
 */
async function interrupted<Result>(
  connection: { interrupt(): void },
  milliseconds: number | undefined,
  run: () => PromiseLike<Result>
): Promise<Result> {
  if (milliseconds === undefined) return await run()
  let timer = setTimeout(stop, milliseconds)
  function stop() {
    connection.interrupt()
    timer = setTimeout(stop, AGAIN)
  }
  try {
    return await run()
  } catch (error) {
    throw (error as { code?: string }).code === 'SQLITE_INTERRUPT' ? new OutOfTime() : error
  } finally {
    clearTimeout(timer)
  }
}
