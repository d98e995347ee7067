import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../resource/column.js'
import type { Dialect, Query } from './dialect.js'
import type { Fault, TableFacts } from './facts.js'
import type { TextPattern } from './text_pattern.js'
import { readersOf } from './sqlite_connection.js'
import { matchTest } from './sqlite_match.js'
import { insertReady, selectReady } from './sqlite_statements.js'
import { readSqliteTable } from './sqlite_table.js'

/**
 * SQLite, whichever driver opens it.
 */
export class SqliteDialect implements Dialect {
  readTable(client: QueryClientContract, table: string): Promise<TableFacts | null> {
    return readSqliteTable(client, table)
  }

  /**
   * The driver names the constraint at the end of its message and nowhere else; what stands before
   * may hold a caller's text.
   */
  explain(error: unknown): Fault | null {
    const { code, message } = error as { code?: string; message?: string }
    if (code === 'SQLITE_MISMATCH' || code === 'SQLITE_TOOBIG')
      return { kind: 'range', columns: [] }
    if (code !== 'SQLITE_CONSTRAINT' || !message) return null

    const own = message.slice(message.lastIndexOf('SQLITE_CONSTRAINT: '))
    const match =
      /^SQLITE_CONSTRAINT: (UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s.exec(
        own
      )
    if (!match) return null
    const [, name, rest = ''] = match
    switch (name) {
      case 'UNIQUE':
        return { kind: 'unique', ...columnsIn(rest) }
      case 'NOT NULL':
        return { kind: 'not_null', ...columnsIn(rest) }
      case 'CHECK':
        return { kind: 'check', columns: namesIn(rest) }
      default:
        return { kind: 'foreign_key', columns: [] }
    }
  }

  /**
   * The driver reads integers as JavaScript numbers, which end at 2^53; beyond that, only the text
   * has every digit.
   */
  selectExpression(table: string, column: Column) {
    const name = [`${table}.${column.name}`]
    if (column.kind === 'integer') {
      return {
        sql: `case when ?? between -9007199254740991 and 9007199254740991 then ?? else cast(?? as text) end as ??`,
        bindings: [...name, ...name, ...name, column.name],
      }
    }
    return { sql: '??', bindings: name }
  }

  compare(query: Query, table: string, column: Column, operator: string, value: unknown) {
    if (column.kind === 'uuid' && (operator === '=' || operator === '<>')) {
      return this.compareList(query, table, column, [value], operator === '<>')
    }
    query.whereRaw(`?? ${operator} ?${collation(column)}`, [
      `${table}.${column.name}`,
      this.bind(column, value) as string,
    ])
  }

  compareList(query: Query, table: string, column: Column, values: unknown[], negate: boolean) {
    /* Here a UUID is text, and whoever wrote it may have used capitals. */
    if (column.kind === 'uuid')
      values = values.flatMap((value) => [value, String(value).toUpperCase()])
    const places = values.map(() => '?').join(', ')
    /* The left side's collation is the one that counts for a list. */
    query.whereRaw(`??${collation(column)} ${negate ? 'not in' : 'in'} (${places})`, [
      `${table}.${column.name}`,
      ...values.map((value) => this.bind(column, value) as string),
    ])
  }

  match(
    query: Query,
    table: string,
    column: Column,
    pattern: TextPattern,
    { foldCase, negate }: { foldCase: boolean; negate: boolean }
  ) {
    const { sql, bindings } = matchTest(`${table}.${column.name}`, pattern, foldCase)
    query.whereRaw(negate ? `not (${sql})` : `(${sql})`, bindings)
  }

  order(query: Query, table: string, column: Column, direction: 'asc' | 'desc') {
    query.orderByRaw(`??${collation(column)} ${direction}`, [`${table}.${column.name}`])
  }

  async insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown> {
    if (typeof reported !== 'number' || Number.isSafeInteger(reported)) return reported
    const rows = await client.rawQuery('select cast(last_insert_rowid() as text) as id')
    return rows[0].id
  }

  async insertRow(client: QueryClientContract, table: string, row: Record<string, unknown>) {
    if (client.isTransaction && client.dialect.name === 'sqlite3') {
      return await insertReady(client as TransactionClientContract, table, row)
    }
    const [key] = await client.getWriteClient().table(table).insert(row)
    return key
  }

  bind(column: Column, value: unknown): unknown {
    return column.kind === 'boolean' && typeof value === 'boolean' ? Number(value) : value
  }

  /**
   * On the writer's only connection a list would wait for every write before it, so it gets one of
   * the readers'.
   */
  async read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result> {
    const readers = client.isTransaction ? undefined : readersOf(client)
    if (!readers) return await run()
    return await withConnection(readers, (connection) => {
      query.knexQuery.connection(connection)
      return run()
    })
  }

  async selectRows(client: QueryClientContract, sql: string, values: Array<string | number>) {
    const readers = client.isTransaction ? undefined : readersOf(client)
    if (readers?.dialect.name !== 'sqlite3') return await client.rawQuery(sql, values)
    return await withConnection(readers, (connection) => selectReady(connection, sql, values))
  }
}

async function withConnection<Result>(
  client: QueryClientContract,
  run: (connection: any) => PromiseLike<Result>
): Promise<Result> {
  const pool = client.getReadClient().client
  const connection = await pool.acquireConnection()
  try {
    return await run(connection)
  } finally {
    pool.releaseConnection(connection)
  }
}

/** Text compares by code point even in a column that was declared otherwise. */
function collation(column: Column): string {
  return column.isText ? ' collate binary' : ''
}

/** "products.sku, products.name" names two columns; an index over an expression names none. */
function columnsIn(text: string): Pick<Fault, 'table' | 'columns'> {
  if (text.startsWith('index ')) return { columns: [] }
  const names = text.split(', ')
  return {
    table: names[0].slice(0, names[0].lastIndexOf('.')),
    columns: names.map((name) => name.slice(name.lastIndexOf('.') + 1)),
  }
}

/** The words of an expression, apart from its texts. A constraint with a name of its own shows only that. */
function namesIn(expression: string): string[] {
  return expression.replace(/'(?:[^']|'')*'/g, '').match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
}
