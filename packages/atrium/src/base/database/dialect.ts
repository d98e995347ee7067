import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Column } from '../columns/column.js'
import type { TextPattern } from '../values/text_pattern.js'
import type { ConnectionForms } from './connection_forms.js'
import type { DatabaseError, TableIntrospection } from './introspection.js'
import type { Sql } from '../sql/sql.js'

export type Query = ModelQueryBuilderContract<LucidModel, any>

/** Units that moments are counted by */
export type TimePart = 'day' | 'hour' | 'minute'

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/**
 * The part of a column that is needed to read its stored value; a column of a table without a model has
 * only a name and a value type.
 */
export type StoredColumn = Pick<Column, 'name' | 'kind' | 'sqlType'> &
  Partial<Pick<Column, 'hasOtherForms'>>

/**
 * The differences between the databases, behind one interface, so that results are the same on all of
 * them. [A18]
 */
export interface Dialect {
  /** The table's columns and foreign keys, or null if there is no such table */
  readTable(client: QueryClientContract, table: string): Promise<TableIntrospection | null>
  /**
   * Reads a sample of the rows of tables for the forms of their values, and notes those in `forms` of the columns. Only
   * for databases that store any value in any column
   */
  sampleForms?(
    client: QueryClientContract,
    tables: ReadonlyArray<{ table: string; columns: readonly Column[] }>
  ): Promise<void>
  /**
   * Reads every row of a table for the forms of its values, and completes `forms` of its columns. Only for databases that
   * store any value in any column
   *
   * @param pause  called between reads of a few milliseconds; returns false to stop
   */
  completeForms?(
    client: QueryClientContract,
    table: string,
    columns: readonly Column[],
    pause: () => Promise<boolean>
  ): Promise<void>
  /**
   * How queries read exact values over an ordinary connection of Lucid; null for a connection that returns such. Only for
   * drivers that round or change values
   */
  forms?(client: QueryClientContract): ConnectionForms | null
  /** The meaning of the driver's error, or null if it is not about the data */
  explain(error: unknown): DatabaseError | null
  /** The name quoted for a statement; any characters are safe */
  quote(name: string): string
  /** The column's name quoted for a statement */
  nameOf(table: string, column: Pick<Column, 'name'>): string
  /** The select expression that keeps every digit and the sign of the column's value */
  select(table: string, column: Column): string
  /** True if a column of any type can return a text instead of its value */
  readonly mixesTypes: boolean
  /**
   * Expression for the size of a text, a document or bytes, in bytes and null for null, without reading
   * the value where possible
   */
  sizeOf(table: string, column: Column): string
  /**
   * The select expression of the stored value, without rounding, conversion or truncation: null, a text,
   * a number, a boolean or bytes
   *
   * @param as  name of the column in the result
   */
  stored(table: string, column: StoredColumn, as: string): string
  /** Condition that compares the column with a stored value (never null), in the sort order of `order` */
  compareStored(
    table: string,
    column: Column,
    operator: '<' | '<=' | '>' | '>=',
    value: unknown
  ): Sql
  /** `column OPERATOR value`; text compares by code point and case-sensitively */
  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql
  /** `column in (values)`, or `not in` */
  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql
  /** Condition that tests the text against the pattern */
  match(
    table: string,
    column: Column,
    pattern: TextPattern,
    options: { foldCase: boolean; negate: boolean }
  ): Sql
  /** Condition for an array that has the item; only where there are arrays */
  arrayWith?(table: string, column: Column, item: unknown): Sql
  /** Condition for an array that is null or has no item; only where there are arrays */
  emptyArray?(table: string, column: Column, negate: boolean): Sql
  /** A part of `order by`: text by code point, null first (last when descending) */
  order(table: string, column: Column, direction: 'asc' | 'desc'): string
  /**
   * Expression for the column's value, for `group by`: the same for two rows exactly if `compare` finds them
   * equal. A text may be returned as its bytes
   */
  groupOf(table: string, column: Column): string
  /** The day, hour or minute of a datetime column in UTC: the beginning of `YYYY-MM-DD HH:MM` */
  beginOf(table: string, column: Column, part: TimePart): string
  /** The key of the last inserted row with every digit, from the value that the driver reports */
  insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown>
  /** Aggregates the texts of a group to one JSON list of texts, itself a text */
  listOfTexts(expression: string): string
  /**
   * The next key that the database generates by an expression, undefined if there is none. Only for
   * databases that do not return such a key from an insert
   */
  keyToInsert?(client: QueryClientContract, column: Column): Promise<unknown>
  /**
   * Has the next generated keys follow those that rows were given. Only for databases that do not do so by themselves
   */
  followGivenKeys?(client: QueryClientContract, table: string, column: Column): Promise<void>
  /**
   * Inserts a row of text, numbers and null by a statement that is used again and again.
   *
   * @param key  the auto-increment column; default `id`
   * @returns the generated key
   */
  insertRow(
    client: QueryClientContract,
    table: string,
    row: Record<string, unknown>,
    key?: string
  ): Promise<unknown>
  /** The insert of `insertRow`, with the generated key as `key`; only where an insert may end in `returning` */
  insertRowSql?(table: string, row: Record<string, unknown>, key?: string): Sql
  /**
   * Inserts two rows by one statement, the second with the generated key of the first in the column `reference`; returns that
   * key as `key`. Only where an insert may be a part of another one
   */
  insertPairSql?(first: NewRow, second: NewRow & { reference: string }): Sql
  /**
   * Locks and updates one row by one statement, which returns it as it was before the update and as it is after it; nothing
   * if the select finds none. Only where an update may be a part of a select
   *
   * @param select  of the row, with its lock
   * @param update  the update with `returning`, which meets a further condition
   * @param names   of the columns that both return, in their order
   */
  updateLockedSql?(select: Sql, update: (condition: Sql) => Sql, names: readonly string[]): Sql
  /** True if an insert or an update may end in `returning` and a list of select expressions */
  readonly returnsWrittenRows: boolean
  /** True if triggers may change the values that are written to the table */
  hasTriggers(client: QueryClientContract, table: string): Promise<boolean>
  /** The value in the form that the driver binds */
  bind(column: Column, value: unknown): unknown
  /** True if the database gives up the client's reads when the time of `withinTime` is over */
  stopsReads(client: QueryClientContract): boolean
  /** Runs a select, on a read connection if the client has one */
  read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result>
  /** The number of rows in the form that follows `limit` */
  limit(count: number): string
  /** The statement that begins a transaction which writes */
  readonly begin: string
  /** The clause at the end of a select that locks its rows; empty where the transaction itself locks */
  readonly lockClause: string
  /**
   * The rows of a select that is used again and again; from a read connection, or from the transaction
   * if the client is one.
   *
   * @param values  one for each question mark
   */
  selectRows(
    client: QueryClientContract,
    sql: string,
    values: readonly unknown[]
  ): Promise<Array<Record<string, unknown>>>

  /**
   * A statement to be run on a connection of the client's driver, whichever transaction that is in.
   *
   * @param values  one for each question mark
   */
  statement(client: QueryClientContract, sql: string, values: readonly unknown[]): Statement
}

/** A row of text, numbers and null to be inserted into a table */
export interface NewRow {
  table: string
  row: Record<string, unknown>
}

/**
 * Runs a statement on a connection of the driver.
 *
 * @returns its rows; for a write, those of its `returning`
 */
export type Statement = (connection: any) => Promise<Array<Record<string, unknown>>>
