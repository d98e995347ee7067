import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Column } from '../columns/column.js'
import type { TextPattern } from '../values/text_pattern.js'
import type { ConnectionForms } from './connection_forms.js'
import type { DatabaseError, TableIntrospection } from './introspection.js'
import type { Sql } from '../sql/sql.js'

export type Query = ModelQueryBuilderContract<LucidModel, any>

/** Units by which dates and datetimes are grouped */
export type DatePart = 'year' | 'month' | 'day'

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/**
 * The properties of a column that are needed to read its stored value; a column of a table without a model has only a
 * name and a value type.
 */
export type StoredColumn = Pick<Column, 'name' | 'kind' | 'sqlType'> &
  Partial<Pick<Column, 'hasOtherForms'>>

/**
 * The differences between the databases, behind one interface, so that results are the same on all of
 * them.
 */
export interface Dialect {
  /** Returns the columns and foreign keys of a table, or null if there is no such table */
  readTable(client: QueryClientContract, table: string): Promise<TableIntrospection | null>
  /**
   * Reads a sample of rows to find the forms of their values, and stores these in `forms` of the columns. Only for
   * databases that store any value in any column
   */
  sampleForms?(
    client: QueryClientContract,
    tables: ReadonlyArray<{ table: string; columns: readonly Column[] }>
  ): Promise<void>
  /**
   * Reads every row of a table to find the forms of its values, and completes `forms` of the columns. Only for
   * databases that store any value in any column
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
   * Returns how to read exact values on an ordinary Lucid connection; null for a connection that returns exact values.
   * Only for drivers that round or change values
   */
  forms?(client: QueryClientContract): ConnectionForms | null
  /** Returns the meaning of a driver's error, or null if it is not caused by the data */
  explain(error: unknown): DatabaseError | null
  /** Returns the name quoted for a statement; any characters are safe */
  quote(name: string): string
  /** Returns the column's name quoted for a statement */
  nameOf(table: string, column: Pick<Column, 'name'>): string
  /** Returns the select expression that preserves every digit and the sign of the column's value */
  select(table: string, column: Column): string
  /** True if a result column can contain values of several types, such as a text in place of a number */
  readonly mixesTypes: boolean
  /**
   * Returns the expression for the size of a text, a document or bytes, in bytes, null for null. Avoids reading the
   * value where possible
   */
  sizeOf(table: string, column: Column): string
  /**
   * Returns the select expression for the stored value, without rounding, conversion or truncation: null, a text, a
   * number, a boolean or bytes
   *
   * @param as  alias of the column in the result
   */
  stored(table: string, column: StoredColumn, as: string): string
  /**
   * Returns the condition that compares the column with a stored value other than null, in the sort order of `order`
   */
  compareStored(
    table: string,
    column: Column,
    operator: '<' | '<=' | '>' | '>=',
    value: unknown
  ): Sql
  /** Returns the condition `column OPERATOR value`; text is compared by code point and case-sensitively */
  compare(table: string, column: Column, operator: Comparison, value: unknown): Sql
  /** Returns the condition `column in (values)`, or `not in` */
  compareList(table: string, column: Column, values: readonly unknown[], negate: boolean): Sql
  /** Returns the condition that the text matches the pattern */
  match(
    table: string,
    column: Column,
    pattern: TextPattern,
    options: { foldCase: boolean; negate: boolean }
  ): Sql
  /** Returns the condition that an array contains the item; only for databases with arrays */
  arrayWith?(table: string, column: Column, item: unknown): Sql
  /** Returns the condition that an array is null or empty; only for databases with arrays */
  emptyArray?(table: string, column: Column, negate: boolean): Sql
  /** Returns a term of `order by`: text by code point, null first (last in descending order) */
  order(table: string, column: Column, direction: 'asc' | 'desc'): string
  /**
   * Returns the expression for the column's value in `group by`: two rows have the same value if and only if `compare`
   * finds them equal. A text can be returned as bytes
   */
  groupOf(table: string, column: Column): string
  /**
   * Returns the term of `order by` for the groups of `groupOf`, in the order of `order`. Only for databases that would
   * sort the expression of `groupOf` in another order
   */
  orderOfGroups?(table: string, column: Column, direction: 'asc' | 'desc'): string
  /** Returns the expression for the column's value if it is of the column's type, otherwise null */
  measureOf(table: string, column: Column): string
  /**
   * Returns the select expressions for the sum of a numeric column, which together have every digit: each is a part of
   * the sum
   */
  sumOf(table: string, column: Column): SumExpression[]
  /**
   * Returns a faster sum than that of `sumOf`, and the expression that is true if all values allow it. Its value must be
   * a safe integer, too. Only for databases whose exact sums are slow
   */
  quickSumOf?(table: string, column: Column): { sum: SumExpression; isExact: string } | undefined
  /**
   * Returns the select expression for the lowest or highest value of a column, with every digit
   *
   * @param bound  `min` or `max`
   */
  boundOf(table: string, column: Column, bound: 'min' | 'max'): string
  /**
   * Returns the expression for the part of a date or a datetime up to a unit: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`
   *
   * @param zone  time zone of the part of a datetime; default: UTC
   */
  beginOf(table: string, column: Column, part: DatePart, zone?: string): string
  /** Returns the key of the last inserted row with every digit, from the value that the driver reports */
  insertedKey(client: QueryClientContract, reported: unknown): Promise<unknown>
  /** Returns the expression that aggregates the texts of a group to one JSON list, itself a text */
  listOfTexts(expression: string): string
  /**
   * Returns a key to insert if the database generates keys with an expression; undefined if it does not. Only for
   * databases that do not return such a key from an insert
   */
  keyToInsert?(client: QueryClientContract, column: Column): Promise<unknown>
  /**
   * Makes the next generated keys continue after explicitly inserted ones. Only for databases that would otherwise
   * generate a key that exists
   */
  followGivenKeys?(client: QueryClientContract, table: string, column: Column): Promise<void>
  /**
   * Inserts a row of text, numbers and null with a prepared statement.
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
  /**
   * Returns a statement that inserts two rows, the second with the generated key of the first in the column
   * `reference`, and returns that key as `key`. Only for databases in which an insert can be part of another one
   */
  insertPairSql?(first: NewRow, second: NewRow & { reference: string }): Sql
  /**
   * Returns a statement that locks and updates one row, and returns it as it was before the update and as it is after
   * it; no rows if the select finds none. Only for databases in which an update can be part of a select
   *
   * @param select  select of the row, with its lock
   * @param update  returns the update with a `returning` clause and an additional condition
   * @param names   names of the columns that both return, in the same order
   */
  updateLockedSql?(select: Sql, update: (condition: Sql) => Sql, names: readonly string[]): Sql
  /** True if an insert or an update can end with `returning` and a list of select expressions */
  readonly returnsWrittenRows: boolean
  /** True if triggers can change the values that are written to the table */
  hasTriggers(client: QueryClientContract, table: string): Promise<boolean>
  /** Returns the value in the form that the driver binds */
  bind(column: Column, value: unknown): unknown
  /** True if the database cancels the client's reads when the time limit of `withinTime` is exceeded */
  stopsReads(client: QueryClientContract): boolean
  /** Runs a select, on a read connection if the client has one */
  read<Result>(
    client: QueryClientContract,
    query: Query,
    run: () => PromiseLike<Result>
  ): Promise<Result>
  /** Returns the text that follows `limit` for a number of rows */
  limit(count: number): string
  /** The statement that begins a transaction with writes */
  readonly begin: string
  /** The clause at the end of a select that locks its rows; empty if the transaction itself locks */
  readonly lockClause: string
  /** Returns the database's plan for a select, in lines; indentation shows which step belongs to which */
  planOf(client: QueryClientContract, statement: Sql): Promise<string[]>
  /** Returns the number of rows that the database expects a select to return. Only for databases that estimate it */
  plannedRows?(client: QueryClientContract, statement: Sql): Promise<number | undefined>
  /**
   * Returns the rows of a select with a prepared statement, on a read connection, or in the transaction if the client
   * is one.
   *
   * @param values  values, one for each question mark
   */
  selectRows(
    client: QueryClientContract,
    sql: string,
    values: readonly unknown[]
  ): Promise<Array<Record<string, unknown>>>

  /**
   * Returns a statement that runs on a connection of the client's driver, in any transaction of that connection.
   *
   * @param values  values, one for each question mark
   */
  statement(client: QueryClientContract, sql: string, values: readonly unknown[]): Statement
}

/** A part of a sum: the value of the expression times `10 ** exponent` */
export interface SumExpression {
  sql: string
  exponent: number
}

/** A row of text, numbers and null to be inserted into a table */
export interface NewRow {
  table: string
  row: Record<string, unknown>
}

/**
 * Runs a statement on a connection of the driver.
 *
 * @returns the rows; for a write, those of the `returning` clause
 */
export type Statement = (connection: any) => Promise<Array<Record<string, unknown>>>
