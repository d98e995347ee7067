import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '../../resource/column.js'
import type { Comparison, Dialect, Query, StoredColumn } from '../dialect.js'
import type { Fault, TableFacts } from '../introspection.js'
import { failedStatement } from '../failed_statement.js'
import { quoted } from '../../sql/quoted.js'
import { insertSql, type Sql } from '../../sql/sql.js'
import type { TextPattern } from '../../values/text_pattern.js'
import { selectAtOnce } from './better_sqlite_statements.js'
import { idleReaderOf, readersOf } from './sqlite_connection.js'
import { matchTest } from './sqlite_match.js'
import { withConnection } from '../with_connection.js'
import { selectReady } from './sqlite_statements.js'
import { readSqliteTable } from './sqlite_table.js'

/**
 * A value that a column is compared with, as it stands in a statement. Where a table was analysed, the SQLite
 * of `better-sqlite3` would plan a kept statement anew for each bare question mark that gets another value,
 * which takes longer than most lists; the other driver's has one plan for all values.
 */
const VALUE = '+?'

/**
 * SQLite, whichever driver opens it.
 */
export class SqliteDialect implements Dialect {
  readonly lockClause = ''
  readonly quote = quoted
  readonly mixesTypes = true
  readonly tellsWritten = true

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
    if (!code?.startsWith('SQLITE_CONSTRAINT') || !message) return null

    const match = /^(UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed(?:: (.*))?$/s.exec(
      message.slice(startOfReason(message, code))
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
        return brokenReference(message)
    }
  }

  /**
   * The driver reads integers as JavaScript numbers, which end at 2^53; beyond that, only the text
   * has every digit.
   */
  select(table: string, column: Column): string {
    const name = this.nameOf(table, column)
    if (column.kind !== 'integer') return name
    return `case when ${name} between -9007199254740991 and 9007199254740991 then ${name} else cast(${name} as text) end as ${quoted(column.name)}`
  }

  /**
   * Each value has a type of its own, whatever that of its column: a decimal column holds integers of
   * 64 bits, too.
   */
  stored(table: string, column: StoredColumn, as: string): string {
    const name = this.nameOf(table, column)
    const isLong = `typeof(${name}) = 'integer' and ${name} not between -9007199254740991 and 9007199254740991`
    return `case when ${isLong} then cast(${name} as text) else ${name} end as ${quoted(as)}`
  }

  sizeOf(table: string, column: Column): string {
    return `octet_length(${this.nameOf(table, column)})`
  }

  compareStored(table: string, column: Column, operator: string, value: unknown): Sql {
    const sql = `${this.nameOf(table, column)} ${operator} ${VALUE}${collation(column)}`
    return { sql, bindings: [value] }
  }

  nameOf(table: string, column: Pick<Column, 'name'>): string {
    return `${quoted(table)}.${quoted(column.name)}`
  }

  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql {
    if (column.kind === 'uuid' && (operator === '=' || operator === '<>')) {
      return this.compareList(table, column, [value], operator === '<>')
    }
    return {
      sql: `${this.nameOf(table, column)} ${operator} ${VALUE}${collation(column)}`,
      bindings: [this.bind(column, value)],
    }
  }

  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql {
    /* Here a UUID is text, and whoever wrote it may have used capitals. */
    if (column.kind === 'uuid')
      values = values.flatMap((value) => [value, String(value).toUpperCase()])
    const places = values.map(() => VALUE).join(', ')
    /* The left side's collation is the one that counts for a list. */
    const name = `${this.nameOf(table, column)}${collation(column)}`
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
    const test = matchTest(this.nameOf(table, column), pattern, foldCase)
    return negate ? { ...test, sql: `not (${test.sql})` } : test
  }

  order(table: string, column: Column, direction: 'asc' | 'desc'): string {
    return `${this.nameOf(table, column)}${collation(column)} ${direction}`
  }

  /** Moments are text, whose first characters are the day. */
  dayOf(table: string, column: Column): string {
    return `substr(${this.nameOf(table, column)}, 1, 10)`
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
      const { sql, bindings } = insertSql(quoted(table), row)
      const [inserted] = await this.selectRows(client, `${sql} returning rowid as key`, bindings)
      return inserted.key
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

  /**
   * A bound limit has newer versions plan the statement anew at each run, the same limit, too. A small one
   * that they can see has them prefer to sort the whole table over an index that needs a little sorting.
   */
  limit(count: number): string {
    return `cast(${Math.trunc(count)} as integer)`
  }

  async selectRows(client: QueryClientContract, sql: string, values: readonly unknown[]) {
    /* Who debugs wants to hear of every query, which Lucid tells of its own only. */
    if (client.debug) return await client.rawQuery(sql, values as any[])
    const isPatient = client.dialect.name === 'sqlite3'
    const idle = isPatient || client.isTransaction ? undefined : idleReaderOf(client)
    if (idle) return selectAtOnce(idle as any, sql, values)

    const reader = client.isTransaction ? client : (readersOf(client) ?? client)
    const select = isPatient ? selectReady : selectAtOnce
    return await withConnection(reader, (connection) => select(connection, sql, values))
  }
}

/** Text compares by code point even in a column that was declared otherwise. */
function collation(column: Column): string {
  return column.isText ? ' collate binary' : ''
}

/**
 * Where a message leaves the statement behind. The driver `sqlite3` puts its code in front of what it
 * says; `better-sqlite3` says which constraint it was in its code, as in SQLITE_CONSTRAINT_NOTNULL.
 */
function startOfReason(message: string, code: string): number {
  if (code === 'SQLITE_CONSTRAINT') {
    const start = message.lastIndexOf(`${code}: `)
    return start < 0 ? message.length : start + code.length + 2
  }
  return message.lastIndexOf(`${NAMES[code] ?? ' - '} constraint failed`)
}

const NAMES: Record<string, string> = {
  SQLITE_CONSTRAINT_UNIQUE: 'UNIQUE',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'UNIQUE',
  SQLITE_CONSTRAINT_ROWID: 'UNIQUE',
  SQLITE_CONSTRAINT_NOTNULL: 'NOT NULL',
  SQLITE_CONSTRAINT_CHECK: 'CHECK',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'FOREIGN KEY',
  /* A reference that says RESTRICT is kept by a trigger. */
  SQLITE_CONSTRAINT_TRIGGER: 'FOREIGN KEY',
}

/** What is inserted can be referred to by nobody yet, and what is deleted refers to nothing any more. */
function brokenReference(message: string): Fault {
  const { verb, table, columns = [] } = failedStatement(message) ?? {}
  const reference = verb === 'insert' ? 'missing' : verb === 'delete' ? 'used' : undefined
  return { kind: 'foreign_key', table, columns, reference }
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
