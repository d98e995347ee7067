import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import { RuntimeError } from '../errors.js'
import type { Column } from '../resource/column.js'
import type { TextPattern } from './text_pattern.js'
import { SqliteDialect } from './sqlite_dialect.js'

export type Query = ModelQueryBuilderContract<LucidModel, any>

/**
 * What the database tells of a column and a model cannot. [P15]
 */
export interface ColumnFacts {
  /** The declared SQL type in lower case, as in `varchar(255)` */
  sqlType: string
  nullable: boolean
  /** Most characters of a text, if there is a limit */
  maxLength: number | null
  /** Whether an insert may leave the column out */
  hasDefault: boolean
  /** Whether the database itself counts the value up */
  autoIncrement: boolean
  /** Whether the column alone is unique */
  unique: boolean
  /** The values a check constraint allows, if it lists them */
  choices: string[] | null
}

export interface ForeignKey {
  /** Column names of this table */
  columns: string[]
  table: string
  /** Column names there, in the same order */
  references: string[]
}

export interface TableFacts {
  columns: Map<string, ColumnFacts>
  foreignKeys: ForeignKey[]
}

/**
 * A driver's error, understood. `columns` are column names, as far as the driver names them.
 */
export interface Fault {
  kind: 'unique' | 'foreign_key' | 'not_null' | 'check' | 'range'
  columns: string[]
}

/**
 * What differs from one database to the other, so that answers do not. [A18]
 */
export interface Dialect {
  /** The table's columns and foreign keys, or null if there is no such table */
  readTable(client: QueryClientContract, table: string): Promise<TableFacts | null>
  /** What the driver's error means, or null if it is no fault of the data */
  explain(error: unknown): Fault | null
  /** The select expression that loses no digit and no sign of the column's value */
  selectExpression(table: string, column: Column): { sql: string; bindings: string[] }
  /** `column OPERATOR value`; text compares letter by letter, case counts */
  compare(
    query: Query,
    table: string,
    column: Column,
    operator: '=' | '<>' | '<' | '<=' | '>' | '>=',
    value: unknown
  ): void
  /** `column in (values)`, or not in */
  compareList(query: Query, table: string, column: Column, values: unknown[], negate: boolean): void
  /** Whether the text matches the pattern */
  match(
    query: Query,
    table: string,
    column: Column,
    pattern: TextPattern,
    options: { foldCase: boolean; negate: boolean }
  ): void
  /** Text by code point, null before everything else (after it when descending) */
  order(query: Query, table: string, column: Column, direction: 'asc' | 'desc'): void
  /** The value as the driver wants it bound */
  bind(column: Column, value: unknown): unknown
  /** Runs a select where reads go: on a connection of its own, if the client has some for reading */
  read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result>
}

const SQLITE = new SqliteDialect()

/**
 * The dialect of a client's database.
 *
 * @throws RuntimeError  for a database that is not supported
 */
export function dialectOf(client: QueryClientContract): Dialect {
  switch (client.dialect.name) {
    case 'sqlite3':
    case 'better-sqlite3':
      return SQLITE
    default:
      throw new RuntimeError(
        `The connection "${client.connectionName}" is a ${client.dialect.name} database; supported is sqlite3`
      )
  }
}
