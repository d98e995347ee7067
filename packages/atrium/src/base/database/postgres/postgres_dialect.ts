import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../../columns/column.js'
import type {
  Comparison,
  Dialect,
  NewRow,
  Statement,
  StoredColumn,
  SumExpression,
  DatePart,
} from '../dialect.js'
import type { DatabaseError, TableIntrospection } from '../introspection.js'
import { noteConversions, type ConnectionForms } from '../connection_forms.js'
import { localTimeSql } from '../zone_offsets.js'
import { explainPostgres } from './postgres_errors.js'
import {
  impossibleComparison,
  isPossibleValue,
  isWrittenUuid,
  ServerDialect,
} from '../server_dialect.js'
import { postgresForms } from './postgres_connection.js'
import { postgresMatch } from '../server_match.js'
import { readPostgresTable } from './postgres_table.js'
import { insertSql, type Sql, quoted } from '../../sql/sql.js'
import type { TextPattern } from '../../values/text_pattern.js'
import { OutOfTime } from '../time_limit.js'

/** The dialect of PostgreSQL. */
export class PostgresDialect extends ServerDialect implements Dialect {
  readonly returnsWrittenRows = true
  protected readonly quoted = quoted
  protected readonly limited = limited

  readTable(client: QueryClientContract, table: string): Promise<TableIntrospection | null> {
    return readPostgresTable(client, table)
  }

  explain(error: unknown): DatabaseError | null {
    return explainPostgres(error)
  }

  /** Types without a separate form in the API are returned and compared as text. */
  select(table: string, column: Column): string {
    const name = this.nameOf(table, column)
    const sql = operand(name, column)
    return sql === name ? sql : `${sql} as ${quoted(column.name)}`
  }

  /** Reads the value as text, which is exact for every type; bytes are read unchanged. */
  stored(table: string, column: StoredColumn, as: string): string {
    const name = operand(this.nameOf(table, column), column)
    return `${column.kind === 'binary' ? name : `(${name})::text`} as ${quoted(as)}`
  }

  sizeOf(table: string, column: Column): string {
    const name = operand(this.nameOf(table, column), column)
    return `octet_length(${column.kind === 'json' ? `(${name})::text` : name})`
  }

  compareStored(table: string, column: Column, operator: string, value: unknown): Sql {
    const name = compared(this.nameOf(table, column), column, true)
    return { sql: `${name} ${operator} ${place(column)}`, bindings: [value] }
  }

  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql {
    if (!isPossibleValue(column, value))
      return impossibleComparison(this.nameOf(table, column), operator)
    const isEquality = operator === '=' || operator === '<>'
    if (isWrittenUuid(column) && isEquality) {
      return this.compareList(table, column, [value], operator === '<>')
    }
    const name = compared(this.nameOf(table, column), column, !isEquality)
    return {
      sql: `${name} ${operator} ${place(column)}`,
      bindings: [this.bind(column, value)],
    }
  }

  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql {
    values = values.filter((value) => isPossibleValue(column, value))
    if (values.length === 0)
      return impossibleComparison(this.nameOf(table, column), negate ? '<>' : '=')
    if (isWrittenUuid(column)) {
      values = values.flatMap((value) => [value, String(value).toUpperCase()])
    }
    const places = values.map(() => place(column)).join(', ')
    const name = compared(this.nameOf(table, column), column, false)
    return {
      sql: `${name} ${negate ? 'not in' : 'in'} (${places})`,
      bindings: values.map((value) => this.bind(column, value)),
    }
  }

  match(
    table: string,
    column: Column,
    pattern: TextPattern,
    { foldCase, negate }: { foldCase: boolean; negate: boolean }
  ): Sql {
    const name = compared(this.nameOf(table, column), column, false)
    const test = postgresMatch(name, pattern, foldCase)
    return negate ? { ...test, sql: `not (${test.sql})` } : test
  }

  /** Compares items like values of a column of their type. */
  arrayWith(table: string, column: Column, item: unknown): Sql {
    const items = `unnest(${this.nameOf(table, column)}) as "array items" (${quoted(column.name)})`
    const { sql, bindings } = this.compare('array items', column.element!, '=', item)
    return { sql: `exists (select from ${items} where ${sql})`, bindings }
  }

  emptyArray(table: string, column: Column, negate: boolean): Sql {
    const count = `coalesce(cardinality(${this.nameOf(table, column)}), 0)`
    return { sql: `${count} ${negate ? '>' : '='} 0`, bindings: [] }
  }

  /**
   * By default, PostgreSQL sorts null last (first in descending order), so a nullable column has a `nulls` clause.
   * Other columns have none, as the clause prevents the use of an index.
   */
  order(table: string, column: Column, direction: 'asc' | 'desc'): string {
    const nulls = column.nullable ? ` nulls ${direction === 'asc' ? 'first' : 'last'}` : ''
    return `${compared(this.nameOf(table, column), column, true)} ${direction}${nulls}`
  }

  groupOf(table: string, column: Column): string {
    const name = compared(this.nameOf(table, column), column, false)
    return isWrittenUuid(column) ? `lower(${name})` : name
  }

  orderOfGroups(table: string, column: Column, direction: 'asc' | 'desc'): string {
    const name = compared(this.nameOf(table, column), column, true)
    const nulls = direction === 'asc' ? 'first' : 'last'
    const group = isWrittenUuid(column)
      ? `lower(${compared(this.nameOf(table, column), column, false)})`
      : name
    return `${group} ${direction} nulls ${nulls}`
  }

  measureOf(table: string, column: Column): string {
    return operand(this.nameOf(table, column), column)
  }

  /** Sums of integers and decimals are decimals. */
  sumOf(table: string, column: Column): SumExpression[] {
    return [{ sql: this.#exactly(`sum(${this.measureOf(table, column)})`, column), exponent: 0 }]
  }

  boundOf(table: string, column: Column, bound: 'min' | 'max'): string {
    return this.#exactly(`${bound}(${this.measureOf(table, column)})`, column)
  }

  /** Reads a number as text, which is exact: that of a 64-bit float is the shortest text with the same value. */
  #exactly(sql: string, { kind }: Column): string {
    return kind === 'number' || kind === 'integer' ? `(${sql})::text` : sql
  }

  /** The datetime is not converted to UTC, because the connection's time zone is UTC. */
  beginOf(table: string, column: Column, part: DatePart, zone?: string): string {
    const forms = { year: 'YYYY', month: 'YYYY-MM', day: 'YYYY-MM-DD' }
    const local = localTimeSql(
      this.nameOf(table, column),
      column,
      zone,
      (seconds) => `interval '${seconds} seconds'`,
      (moment, offset) => `${moment} + ${offset}`
    )
    return `to_char(${local}, '${forms[part]}')`
  }

  async followGivenKeys(
    client: QueryClientContract,
    table: string,
    { name }: Column
  ): Promise<void> {
    const own = this.quote(table)
    const sequence = [own, name]
    await client.rawQuery(
      `select setval(pg_get_serial_sequence(?, ?),
        greatest(nextval(pg_get_serial_sequence(?, ?)), (select max(${this.quote(name)}) from ${own})))`,
      [...sequence, ...sequence]
    )
  }

  listOfTexts(expression: string): string {
    return `json_agg((${expression})::text)::text`
  }

  async insertedKey(_client: QueryClientContract, reported: unknown): Promise<unknown> {
    return reported
  }

  async hasTriggers(client: QueryClientContract, table: string): Promise<boolean> {
    const rows = await this.selectRows(
      client,
      "select 1 from pg_trigger where tgrelid = ?::regclass and not tgisinternal and tgenabled <> 'D' limit 1",
      [this.quote(table)]
    )
    return rows.length > 0
  }

  async insertRow(
    client: QueryClientContract,
    table: string,
    row: Record<string, unknown>,
    key: string = 'id'
  ) {
    if (client.isTransaction) {
      const { sql, bindings } = this.insertRowSql(table, row, key)
      const [inserted] = await this.selectRows(client, sql, bindings)
      return inserted.key
    }
    const [inserted] = await client.getWriteClient().table(table).insert(row).returning(key)
    return inserted[key]
  }

  insertRowSql(table: string, row: Record<string, unknown>, key: string = 'id'): Sql {
    const { sql, bindings } = insertSql(this.quote(table), row)
    return { sql: `${sql} returning ${quoted(key)} as key`, bindings }
  }

  insertPairSql(first: NewRow, second: NewRow & { reference: string }): Sql {
    const one = this.insertRowSql(first.table, first.row)
    const names = [second.reference, ...Object.keys(second.row)].map(quoted)
    const places = Object.keys(second.row).map(() => ', ?')
    return {
      sql: `with one as (${one.sql}) insert into ${this.quote(second.table)} (${names.join(', ')})
        values ((select key from one)${places.join('')}) returning ${quoted(second.reference)} as key`,
      bindings: [...one.bindings, ...Object.values(second.row)],
    }
  }

  /** The condition makes the update wait for the lock. An additional column puts the row before the update first. */
  updateLockedSql(select: Sql, update: (condition: Sql) => Sql, names: readonly string[]): Sql {
    const updated = update({ sql: 'exists (select from "row before")', bindings: [] })
    return {
      sql: `with "row before" as (${select.sql}), "row after" as (${updated.sql})
        select ${names.map(quoted).join(', ')} from (
          select 0 as "row number", * from "row before" union all select 1, * from "row after"
        ) as "both rows" order by "row number"`,
      bindings: [...select.bindings, ...updated.bindings],
    }
  }

  bind(column: Column, value: unknown): unknown {
    return column.kind === 'integer' && typeof value === 'boolean' ? Number(value) : value
  }

  async planOf(client: QueryClientContract, { sql, bindings }: Sql): Promise<string[]> {
    const rows: Array<Record<string, unknown>> = await this.selectRows(
      client,
      `explain ${sql}`,
      bindings
    )
    return rows.map((row) => String(row['QUERY PLAN']))
  }

  async plannedRows(client: QueryClientContract, statement: Sql): Promise<number | undefined> {
    const [first] = await this.planOf(client, statement)
    const rows = /\brows=(\d+)/.exec(first)?.[1]
    return rows === undefined ? undefined : Number(rows)
  }

  protected override partsOf({ rows, fields }: { rows: any[]; fields: any[] }): [any[], any[]] {
    return [rows, fields]
  }

  statement(client: QueryClientContract, sql: string, values: readonly unknown[]): Statement {
    const text = numbered(sql)
    const forms = postgresForms(client)
    return (connection) => ask(connection, { text, values }, forms)
  }

  forms(client: QueryClientContract): ConnectionForms | null {
    return postgresForms(client)
  }
}

function ask(
  connection: any,
  statement: { text: string; values?: readonly unknown[] },
  forms: ConnectionForms | null = null
): Promise<Array<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const query = { ...statement, ...forms?.options(connection) }
    connection.query(query, (error: unknown, result: any) => {
      if (error) return reject(error)
      if (forms) noteConversions(result.rows, forms.conversions(result.fields))
      resolve(result.rows)
    })
  })
}

/**
 * Runs a statement that the server cancels when the time limit is exceeded.
 *
 * @throws OutOfTime
 */
async function limited<Result>(
  connection: unknown,
  milliseconds: number,
  run: () => PromiseLike<Result>
): Promise<Result> {
  await ask(connection, { text: `set statement_timeout = ${milliseconds}` })
  try {
    return await run()
  } catch (error) {
    throw (error as { code?: string }).code === CANCELED ? new OutOfTime() : error
  } finally {
    await ask(connection, { text: 'reset statement_timeout' })
  }
}

const CANCELED = '57014'

/** Numbers the placeholders. The engine's statements contain no question marks in texts or names. */
function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}

const ARRAY = /\[\]$/
const READ_ARRAY = /^(?:smallint|integer|boolean|text|double precision)\[\]$/

const PLAIN_TEXT = /^(?:text|character varying(?:\(\d+\))?|name)$/

/** Returns the column's value, in the type in which it is compared and returned. */
function operand(name: string, column: StoredColumn): string {
  switch (column.kind) {
    case 'text':
      return PLAIN_TEXT.test(column.sqlType) ? name : `${name}::text`
    case 'json':
      /* Other arrays are selected as texts, because the driver reads their items as objects, or rounds them. */
      return ARRAY.test(column.sqlType) && !READ_ARRAY.test(column.sqlType)
        ? `${name}::text[]`
        : name
    case 'number':
      /* A 32-bit float is returned as its shortest text, because its value as a double has other digits. */
      if (column.sqlType === 'real') return `${name}::text::float8`
      return column.sqlType === 'money' ? `${name}::numeric` : name
    default:
      return name
  }
}

/**
 * Adds a `collate` clause where the column's collation does not compare or sort by code point. Without the clause, an
 * index can be used.
 */
function compared(name: string, column: Column, ordering: boolean): string {
  const sql = operand(name, column)
  if (column.kind !== 'text' && !isWrittenUuid(column)) return sql
  if (column.collation === 'loose') return `${name}::text collate "C"`
  return ordering && column.collation !== 'binary' ? `${sql} collate "C"` : sql
}

/**
 * Returns the placeholder of a value. It has a type, because without one the value would have to fit the column, and a
 * filter can compare a 32-bit column with 2^40.
 */
function place(column: Column): string {
  if (column.kind === 'integer') return '?::int8'
  if (column.kind !== 'number') return '?'
  return column.sqlType === 'real' || column.sqlType === 'double precision'
    ? '?::float8'
    : '?::numeric'
}

/** True for a text column with UUIDs, which can be stored in uppercase. */
