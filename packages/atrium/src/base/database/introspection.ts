import type { ColumnKind } from '../columns/column_kind.js'

/**
 * The default text comparison of a column: `binary` by code point, `sorting` with another order, `loose` if different
 * texts can be equal.
 */
export type Collation = 'binary' | 'sorting' | 'loose'

/**
 * Forms of values found in a column, whatever its declared type, for a database that stores any value in any
 * column.
 */
interface StoredForms {
  /** Kinds of columns for which a value was found that is not in the usual form of the kind */
  others: Set<ColumnKind>
  /** True if every row was read, and all values have a form of the column's kind */
  isUsual: boolean
}

/** Properties of a column that only the database knows. */
export interface ColumnIntrospection {
  /** The declared SQL type in lower case, such as `varchar(255)` */
  sqlType: string
  /** Value type, if the database has more information than the type's name */
  kind?: ColumnKind
  /** Omitted for databases for which the engine specifies a collation in every comparison */
  collation?: Collation
  /** Range of an integer column of less than 64 bits */
  integerRange?: { least: bigint; most: bigint }
  /** The largest value of a decimal column, as text, and its number of decimal places */
  decimalRange?: { most: string; scale: number }
  /** Properties of an array's items */
  element?: ElementIntrospection
  /**
   * Special values of dates and times that are not in the usual format, such as `infinity`; the database reads them
   * unchanged
   */
  special?: RegExp
  nullable: boolean
  /** Maximum length of a text in characters, null without a limit */
  maxLength: number | null
  /** True if an insert can omit the column */
  hasDefault: boolean
  /** The default as text, if it is the same for every row */
  defaultText?: string | null
  /** Expression of the default, for databases that do not return its value after an insert */
  defaultExpression?: string
  /** True if the database computes the value, so that it cannot be written */
  generated: boolean
  /** True if the database increments the value */
  autoIncrement: boolean
  /** True if a unique index covers this column alone */
  unique: boolean
  /** The values that a check constraint or an enum allows, if it lists them */
  choices: string[] | null
  /** Omitted if every value has the form of the column's type */
  forms?: StoredForms
}

/** Properties of an array's items, which can be null. */
export type ElementIntrospection = Required<Pick<ColumnIntrospection, 'sqlType' | 'kind'>> &
  Pick<ColumnIntrospection, 'integerRange' | 'decimalRange' | 'special' | 'maxLength'>

export interface ForeignKey {
  /** Columns of this table */
  columns: string[]
  table: string
  /** Columns of the other table, in the same order */
  references: string[]
}

export interface TableIntrospection {
  /** True for a view, whose rows cannot be written */
  isView: boolean
  columns: Map<string, ColumnIntrospection>
  /** Columns of the primary key in order; empty without one */
  primaryKey: string[]
  foreignKeys: ForeignKey[]
  /** Columns of each unique index, including partial indexes; expressions are left out */
  uniqueKeys: string[][]
  /**
   * Columns of unique indexes that cover every row and contain no expressions: no two rows have the same values, unless
   * one value is null
   */
  wholeKeys: string[][]
  /**
   * Columns of unique indexes, checks and foreign keys by constraint name, for databases whose errors
   * name only the constraint
   */
  constraints?: ReadonlyMap<string, readonly string[]>
}

/**
 * Reasons to refuse a write as a whole: database code raised an error (a trigger, a rule, a procedure), the table is a
 * view, or nothing would be stored.
 */
export type Refusal = 'raised' | 'view' | 'nothing_stored'

/** A parsed driver error. `columns` are column names, if the driver names them. */
export interface DatabaseError {
  kind: 'unique' | 'foreign_key' | 'not_null' | 'check' | 'range' | Refusal
  /** Table, if the driver names it */
  table?: string
  columns: string[]
  /** Name of the constraint, if the driver names it instead of columns */
  constraint?: string
  /**
   * Kind of broken reference, if the driver reports it: `missing` if the referenced row does not exist, `used` if other
   * rows refer to this one
   */
  reference?: 'missing' | 'used'
  /** Message of the database code, for `raised` */
  message?: string
}

/* Range of PostgreSQL's type `money`, for a currency with two decimals */
const MONEY = { most: '92233720368547758.07', scale: 2 }

/** Returns the range of a type such as `decimal(8,2)` or `numeric(8,2)`; undefined for any other type. */
export function decimalRangeOf(sqlType: string): ColumnIntrospection['decimalRange'] {
  if (sqlType === 'money') return MONEY
  const [, digits, after = '0'] = /^(?:decimal|numeric)\((\d+)(?:,(\d+))?\)$/i.exec(sqlType) ?? []
  const scale = Number(after)
  const whole = Number(digits) - scale
  if (!(whole >= 0)) return undefined
  const fraction = scale > 0 ? `.${'9'.repeat(scale)}` : ''
  return { most: ('9'.repeat(whole) || '0') + fraction, scale }
}
