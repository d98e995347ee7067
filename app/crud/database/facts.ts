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
  /** What it is given then, as text, where that is the same for every row */
  defaultText?: string | null
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
}

/**
 * A driver's error, understood. `columns` are column names, as far as the driver names them.
 */
export interface Fault {
  kind: 'unique' | 'foreign_key' | 'not_null' | 'check' | 'range'
  /** The table it is about, as far as the driver names it */
  table?: string
  columns: string[]
}
