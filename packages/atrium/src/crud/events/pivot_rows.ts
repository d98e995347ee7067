type Row = Record<string, unknown>

/**
 * Rows of a pivot table that a write of a record added and removed, as JSON. A row that was changed is among
 * both. [R7]
 */
export interface PivotChange {
  table: string
  /** Columns with the keys of the written record and of the related one */
  pair: readonly [string, string]
  added: Row[]
  removed: Row[]
}
