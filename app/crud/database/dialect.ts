import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Column } from '../resource/column.js'
import type { TextPattern } from './text_pattern.js'
import type { Fault, TableFacts } from './facts.js'

export type Query = ModelQueryBuilderContract<LucidModel, any>

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
  /** The key that the last insert was given, from what the driver reports of it, with every digit */
  insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown>
  /**
   * Inserts a row, of text, numbers and null, of a shape that comes again and again.
   *
   * @returns the key that its only key column was given
   */
  insertRow(
    client: QueryClientContract,
    table: string,
    row: Record<string, unknown>
  ): Promise<unknown>
  /** The value as the driver wants it bound */
  bind(column: Column, value: unknown): unknown
  /** Runs a select where reads go: on a connection of its own, if the client has some for reading */
  read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result>
  /**
   * The rows of a select that comes again and again, from where reads go.
   *
   * @param values  one for each question mark
   */
  selectRows(
    client: QueryClientContract,
    sql: string,
    values: Array<string | number>
  ): Promise<Array<Record<string, unknown>>>
}
