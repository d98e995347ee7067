import type { ColumnKind } from '../columns/column_kind.js'

/**
 * The default text comparison of a column: `binary` by code point, `sorting` with another order, `loose`
 * if different texts may also be equal.
 */
export type Collation = 'binary' | 'sorting' | 'loose'

/**
 * Forms of values found in a column, whatever its declared type, for a database that stores any value in any
 * column.
 */
export interface StoredForms {
  /** Kinds of which a value was found that is not in the kind's usual form */
  others: Set<ColumnKind>
  /** True if every row was read, and none has a value that the column's kind does not have */
  isUsual: boolean
}

/** Properties of a column that only the database knows. [P15] */
export interface ColumnIntrospection {
  /** The declared SQL type in lower case, as in `varchar(255)` */
  sqlType: string
  /** The value type, where the database knows more than the type's name says */
  kind?: ColumnKind
  /** Left out if every comparison names its collation */
  collation?: Collation
  /** Range of an integer column of less than 64 bits */
  integerRange?: { least: bigint; most: bigint }
  /** The largest value of a decimal column, as text, and its number of decimal places */
  decimalRange?: { most: string; scale: number }
  /** What an item of an array has */
  element?: ElementIntrospection
  /** Texts of dates and times that the kind's usual form does not have, as in `infinity`; the database reads them as they are */
  special?: RegExp
  nullable: boolean
  /** Maximum length of a text in characters, null without a limit */
  maxLength: number | null
  /** True if an insert may leave the column out */
  hasDefault: boolean
  /** The default as text, if it is the same for every row */
  defaultText?: string | null
  /** Expression of the default, for databases that do not return its value after an insert */
  defaultExpression?: string
  /** True if the database computes the value, so that it cannot be written */
  generated: boolean
  /** True if the database increments the value itself */
  autoIncrement: boolean
  /** True if a unique index covers this column alone */
  unique: boolean
  /** The values that a check constraint or an enum allows, if it lists them */
  choices: string[] | null
  /** Left out if every value has the form of the column's type */
  forms?: StoredForms
}

/** Properties of an array's items, which may be null. */
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
  /** True for a view, whose rows are not written */
  isView: boolean
  columns: Map<string, ColumnIntrospection>
  /** Columns of the primary key in its order; empty without one */
  primaryKey: string[]
  foreignKeys: ForeignKey[]
  /** Columns of each unique index, partial ones too; expressions are left out */
  uniqueKeys: string[][]
  /** Of them those over every row and of columns alone: no two rows have the same values, unless one is null */
  wholeKeys: string[][]
  /**
   * Columns of unique indexes, checks and foreign keys by constraint name, for databases whose errors
   * name only the constraint
   */
  constraints?: ReadonlyMap<string, readonly string[]>
}

/**
 * Refusals of a write as a whole: code of the database raised an error (a trigger, a rule, a procedure),
 * the table is a view, or nothing would be stored.
 */
export type Refusal = 'raised' | 'view' | 'nothing_stored'

/** A parsed driver error. `columns` are column names, as far as the driver names them. */
export interface DatabaseError {
  kind: 'unique' | 'foreign_key' | 'not_null' | 'check' | 'range' | Refusal
  /** The table, as far as the driver names it */
  table?: string
  columns: string[]
  /** Name of the constraint, if the driver names it instead of columns */
  constraint?: string
  /**
   * Kind of broken reference, as far as the driver tells: `missing` if the referenced row does not
   * exist, `used` if other rows refer to this one
   */
  reference?: 'missing' | 'used'
  /** What the database's own code said, for `raised` */
  message?: string
}
