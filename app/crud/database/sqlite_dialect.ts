import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../resource/column.js'
import type { Dialect, Query } from './dialect.js'
import type { Fault, TableFacts } from './facts.js'
import { ANY, caseVariants, ONE, type TextPattern } from './text_pattern.js'
import { readersOf } from './sqlite_connection.js'
import { readSqliteTable } from './sqlite_table.js'

/**
 * SQLite, whichever driver opens it.
 */
export class SqliteDialect implements Dialect {
  readTable(client: QueryClientContract, table: string): Promise<TableFacts | null> {
    return readSqliteTable(client, table)
  }

  /**
   * The driver names the constraint in its message and nowhere else.
   */
  explain(error: unknown): Fault | null {
    const { code, message } = error as { code?: string; message?: string }
    if (typeof code !== 'string' || !code.startsWith('SQLITE_') || !message) {
      return null
    }
    const after = (text: string) => {
      const start = message.lastIndexOf(text)
      return start < 0 ? null : message.slice(start + text.length)
    }

    const unique = after('UNIQUE constraint failed: ')
    if (unique !== null) return { kind: 'unique', columns: columnNames(unique) }

    const notNull = after('NOT NULL constraint failed: ')
    if (notNull !== null) return { kind: 'not_null', columns: columnNames(notNull) }

    const check = after('CHECK constraint failed: ')
    if (check !== null)
      return { kind: 'check', columns: check.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [] }

    if (message.includes('FOREIGN KEY constraint failed')) {
      return { kind: 'foreign_key', columns: [] }
    }
    if (code === 'SQLITE_MISMATCH' || code === 'SQLITE_TOOBIG')
      return { kind: 'range', columns: [] }
    return null
  }

  /**
   * The driver reads integers as JavaScript numbers, which end at 2^53; beyond that, only the text
   * has every digit.
   */
  selectExpression(table: string, column: Column) {
    const name = [`${table}.${column.name}`]
    if (column.kind === 'integer' && !column.autoIncrement) {
      return {
        sql: `case when ?? between -9007199254740991 and 9007199254740991 then ?? else cast(?? as text) end as ??`,
        bindings: [...name, ...name, ...name, column.name],
      }
    }
    return { sql: '??', bindings: name }
  }

  compare(query: Query, table: string, column: Column, operator: string, value: unknown) {
    query.whereRaw(`?? ${operator} ?${collation(column)}`, [
      `${table}.${column.name}`,
      this.bind(column, value) as string,
    ])
  }

  compareList(query: Query, table: string, column: Column, values: unknown[], negate: boolean) {
    const places = values.map(() => '?').join(', ')
    /* The left side's collation is the one that counts for a list. */
    query.whereRaw(`??${collation(column)} ${negate ? 'not in' : 'in'} (${places})`, [
      `${table}.${column.name}`,
      ...values.map((value) => this.bind(column, value) as string),
    ])
  }

  /**
   * GLOB, as LIKE folds the case of ASCII letters only, and can't be told not to.
   */
  match(
    query: Query,
    table: string,
    column: Column,
    pattern: TextPattern,
    { foldCase, negate }: { foldCase: boolean; negate: boolean }
  ) {
    query.whereRaw(`?? ${negate ? 'not glob' : 'glob'} ?`, [
      `${table}.${column.name}`,
      toGlob(pattern, foldCase),
    ])
  }

  order(query: Query, table: string, column: Column, direction: 'asc' | 'desc') {
    query.orderByRaw(`??${collation(column)} ${direction}`, [`${table}.${column.name}`])
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

    const pool = readers.getReadClient().client
    const connection = await pool.acquireConnection()
    try {
      query.knexQuery.connection(connection)
      return await run()
    } finally {
      pool.releaseConnection(connection)
    }
  }
}

/** Text compares by code point even in a column that was declared otherwise. */
function collation(column: Column): string {
  return column.isText ? ' collate binary' : ''
}

/** "products.sku, products.name" names two columns; an index over an expression names none. */
function columnNames(text: string): string[] {
  return text.startsWith('index ') ? [] : text.split(', ').map((name) => name.split('.').pop()!)
}

export function toGlob(pattern: TextPattern, foldCase: boolean): string {
  return pattern
    .map((part) => {
      if (part === ANY) return '*'
      if (part === ONE) return '?'
      return [...(part as string)].map((character) => globCharacter(character, foldCase)).join('')
    })
    .join('')
}

function globCharacter(character: string, foldCase: boolean): string {
  if ('*?['.includes(character)) return `[${character}]`
  if (!foldCase) return character
  const variants = caseVariants(character)
  return variants.length > 1 ? `[${variants.join('')}]` : character
}
