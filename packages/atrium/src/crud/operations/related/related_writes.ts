/** Most related records that one write names for a relation */
export const MOST_RELATED = 500

/** The related records that a write wants for a many-to-many relation. [R3] */
export interface WantedRelated {
  /** Their keys */
  keys: readonly unknown[]
  /**
   * The keys that the writer was shown: those of them that are not in `keys` are detached, those in `keys` that are not
   * among them are attached, and what others have attached or detached since then stays. Default: all attached ones that
   * the actor may see
   */
  shown?: readonly unknown[]
  /** Columns of the pivot rows to write, by the text of the related key. Default: those of the database */
  values?: ReadonlyMap<string, PivotValues>
}

/** Columns of a pivot row. */
export interface PivotValues {
  /** As the database takes them, by column name */
  values: Readonly<Record<string, unknown>>
  /**
   * In the API's form, as their writer was shown them: if a value has become another one, nothing is written. Default:
   * they are overwritten
   */
  begun?: Readonly<Record<string, unknown>>
}

/** By name of the relation in the API */
export type RelatedWrites = ReadonlyMap<string, WantedRelated>
