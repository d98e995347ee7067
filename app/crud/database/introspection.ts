import type { ColumnKind } from '../resource/column.js'

/**
 * How a database by itself compares the text of a column: `binary` by code point, `sorting` with an
 * order of its own, `loose` with different texts taken for the same, too.
 */
export type Collation = 'binary' | 'sorting' | 'loose'

/**
 * What the database tells of a column and a model cannot. [P15]
 */
export interface ColumnFacts {
  /** The declared SQL type in lower case, as in `varchar(255)` */
  sqlType: string
  /** What it holds, where the database knows better than the name of the type */
  kind?: ColumnKind
  /** Left out where every comparison says itself which one it wants */
  collation?: Collation
  /** What fits into an integer column that takes less than 64 bits */
  integerRange?: { least: bigint; most: bigint }
  /** The most that fits into a decimal column, as it is written, and how many of its digits follow the point */
  decimalRange?: { most: string; scale: number }
  nullable: boolean
  /** Most characters of a text, if there is a limit */
  maxLength: number | null
  /** Whether an insert may leave the column out */
  hasDefault: boolean
  /** What it is given then, as text, where that is the same for every row */
  defaultText?: string | null
  /** The expression that works the default out, where the database does not tell what came of it */
  defaultExpression?: string
  /** Whether the database works the value out, so that no write may give one */
  generated: boolean
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
  /** The columns of unique indexes, checks and foreign keys by their names, where faults tell only those */
  constraints?: ReadonlyMap<string, readonly string[]>
}

/**
 * A driver's error, understood. `columns` are column names, as far as the driver names them.
 */
export interface Fault {
  kind: 'unique' | 'foreign_key' | 'not_null' | 'check' | 'range'
  /** The table it is about, as far as the driver names it */
  table?: string
  columns: string[]
  /** The name of the constraint, where the driver tells it instead of columns */
  constraint?: string
  /**
   * Of a broken reference, as far as the driver tells: whether the row refers to nothing, or others refer
   * to it
   */
  reference?: 'missing' | 'used'
}
