import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../columns/column.js'
import { fromQuery } from '../values/from_query.js'
import { type ConnectionForms, noteConversions } from './connection_forms.js'
import type { Comparison, Query, Statement } from './dialect.js'
import type { Sql } from '../sql/sql.js'
import { endedInTime, timeLeft } from './time_limit.js'
import { withConnection } from './with_connection.js'

/** The parts that the dialects of PostgreSQL and MySQL have in common. */
export abstract class ServerDialect {
  readonly begin = 'BEGIN'
  readonly lockClause = ' for update'
  readonly mixesTypes = false

  abstract statement(
    client: QueryClientContract,
    sql: string,
    values: readonly unknown[]
  ): Statement

  abstract forms(client: QueryClientContract): ConnectionForms | null

  /** Quotes a name without a schema. */
  protected abstract readonly quoted: (name: string) => string

  /** Runs a statement that the server ends when the time limit, in milliseconds, is exceeded. */
  protected abstract readonly limited: <Result>(
    connection: unknown,
    milliseconds: number,
    run: () => PromiseLike<Result>
  ) => Promise<Result>

  /** Returns the rows and fields of the result of Lucid's `rawQuery`. */
  protected abstract partsOf(result: any): [rows: any[], fields: any[]]

  /** Quotes a table name, which can start with its schema or database. */
  quote(name: string): string {
    return name
      .split('.')
      .map((part) => this.quoted(part))
      .join('.')
  }

  nameOf(table: string, column: Pick<Column, 'name'>): string {
    return `${this.quote(table)}.${this.quoted(column.name)}`
  }

  stopsReads(client: QueryClientContract): boolean {
    return !client.isTransaction
  }

  async read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result> {
    if (this.stopsReads(client)) return await endedInTime(query, run)
    return await run()
  }

  limit(count: number): string {
    return String(Math.trunc(count))
  }

  async selectRows(client: QueryClientContract, sql: string, values: readonly unknown[]) {
    /* In debug mode Lucid runs the query: every query must be reported, and Lucid reports only its own. */
    if (client.debug) {
      const forms = this.forms(client)
      const query = client.rawQuery(sql, values as any[])
      if (forms) query.knexQuery.options(forms.options())
      const [rows, fields] = this.partsOf(await query)
      if (forms) noteConversions(rows, forms.conversions(fields))
      return rows
    }
    const run = this.statement(client, sql, values)
    const left = this.stopsReads(client) ? timeLeft() : undefined
    return await withConnection(client, (connection) =>
      left === undefined ? run(connection) : this.limited(connection, left, () => run(connection))
    )
  }
}

/** True for a column of UUIDs that are stored as text. */
export function isWrittenUuid(column: Column): boolean {
  return column.kind === 'uuid' && column.sqlType !== 'uuid'
}

/**
 * True if the column can contain the value. Application code can search for the id `abc`: SQLite finds nothing,
 * PostgreSQL fails, and MySQL finds the id 0.
 */
export function isPossibleValue(column: Column, value: unknown): boolean {
  if (typeof value === 'number' && column.kind === 'integer') return Number.isInteger(value)
  return typeof value !== 'string' || fromQuery(column, value) !== null
}

/** Returns the result of comparing a column with a value that it cannot contain: no row is equal to it. */
export function impossibleComparison(name: string, operator: Comparison): Sql {
  return { sql: operator === '<>' ? `${name} is not null` : '1 = 0', bindings: [] }
}
