import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Column } from '../resource/column.js'
import type { TextPattern } from '../values/text_pattern.js'
import type { Fault, TableFacts } from './introspection.js'
import type { Sql } from '../sql/sql.js'

export type Query = ModelQueryBuilderContract<LucidModel, any>

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/**
 * What must be known of a column to read what is stored in it; one of a table without a model has a
 * name and holds what it refers to.
 */
export type StoredColumn = Pick<Column, 'name' | 'kind' | 'sqlType'>

/**
 * What differs from one database to the other, so that answers do not. [A18]
 */
export interface Dialect {
  /** The table's columns and foreign keys, or null if there is no such table */
  readTable(client: QueryClientContract, table: string): Promise<TableFacts | null>
  /** What the driver's error means, or null if it is no fault of the data */
  explain(error: unknown): Fault | null
  /** A name as a statement has it, whatever stands in it */
  quote(name: string): string
  /** The column's name as a statement has it */
  nameOf(table: string, column: Pick<Column, 'name'>): string
  /** The select expression that loses no digit and no sign of the column's value */
  select(table: string, column: Column): string
  /** Whether a column of any type can give a text in the place of its value */
  readonly mixesTypes: boolean
  /** How many bytes a text, a document or bytes have, null of null, without reading them where that can be */
  sizeOf(table: string, column: Column): string
  /**
   * The select expression of what is stored, with nothing rounded, converted or cut: null, a text, a
   * number, a boolean or bytes
   *
   * @param as  what the result calls it
   */
  stored(table: string, column: StoredColumn, as: string): string
  /** Whether the column comes before or after what was stored (no null) in the order that `order` makes */
  compareStored(
    table: string,
    column: Column,
    operator: '<' | '<=' | '>' | '>=',
    value: unknown
  ): Sql
  /** `column OPERATOR value`; text compares letter by letter, case counts */
  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql
  /** `column in (values)`, or not in */
  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql
  /** Whether the text matches the pattern */
  match(
    table: string,
    column: Column,
    pattern: TextPattern,
    options: { foldCase: boolean; negate: boolean }
  ): Sql
  /** A part of `order by`: text by code point, null before everything else (after it when descending) */
  order(table: string, column: Column, direction: 'asc' | 'desc'): string
  /** The day in UTC of a datetime column, as YYYY-MM-DD */
  dayOf(table: string, column: Column): string
  /** The key that the last insert was given, from what the driver reports of it, with every digit */
  insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown>
  /**
   * Only where an insert does not tell which key the database has made by an expression: what the next
   * one is to be given, undefined if there is no such expression
   */
  keyToInsert?(client: QueryClientContract, column: Column): Promise<unknown>
  /**
   * Inserts a row, of text, numbers and null, of a shape that comes again and again.
   *
   * @param key  the column that the database counts up; `id` if it is left out
   * @returns the key that it was given
   */
  insertRow(
    client: QueryClientContract,
    table: string,
    row: Record<string, unknown>,
    key?: string
  ): Promise<unknown>
  /** Whether an insert or an update may end in `returning` and a list of select expressions */
  readonly tellsWritten: boolean
  /** Whether triggers of the database's owner may change what is written to the table */
  hasTriggers(client: QueryClientContract, table: string): Promise<boolean>
  /** The value as the driver wants it bound */
  bind(column: Column, value: unknown): unknown
  /** Runs a select where reads go: on a connection of its own, if the client has some for reading */
  read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result>
  /** How many rows there are at the most, as it stands behind `limit` */
  limit(count: number): string
  /** What ends a select that locks the rows it finds; empty where the transaction itself does */
  readonly lockClause: string
  /**
   * The rows of a select that comes again and again, from where reads go; in a transaction, from there.
   *
   * @param values  one for each question mark
   */
  selectRows(
    client: QueryClientContract,
    sql: string,
    values: readonly unknown[]
  ): Promise<Array<Record<string, unknown>>>
}
