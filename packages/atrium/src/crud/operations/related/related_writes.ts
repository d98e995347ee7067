/** Maximum number of related records in a write, per relation */
export const MOST_RELATED = 500

/** The related records that a write sets for a many-to-many relation. */
export interface WantedRelated {
  /** Keys of the related records */
  keys: readonly unknown[]
  /**
   * Keys that the writer was shown. Shown keys that are not in `keys` are detached; keys in `keys` that were not shown
   * are attached; changes by other users since then are preserved. Default: all attached records that the actor is
   * allowed to see
   */
  shown?: readonly unknown[]
  /** Values of pivot columns to write, by the text of the related key. Default: the defaults of the database */
  values?: ReadonlyMap<string, PivotValues>
}

/** Values of the columns of a pivot row. */
export interface PivotValues {
  /** Values in the database's form, by column name */
  values: Readonly<Record<string, unknown>>
  /**
   * Values in the API's form that the writer was shown; if a stored value has changed since then, nothing is written.
   * Default: stored values are overwritten
   */
  begun?: Readonly<Record<string, unknown>>
}

/** Related records to write, by API name of the relation */
export type RelatedWrites = ReadonlyMap<string, WantedRelated>
