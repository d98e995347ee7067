/** Kinds of density, the default first [L6] */
export const DENSITIES = ['comfortable', 'compact'] as const

export type Density = (typeof DENSITIES)[number]

/**
 * A saved view, as its readers see it. [L5]
 */
export interface SavedView {
  readonly id: number
  readonly name: string
  readonly query: string
  /** Null for a shared view that has lost its owner */
  readonly ownerId: number | null
  readonly isShared: boolean
}

/**
 * The surroundings of a list: the views that its viewer has of it, which is open, and how they have arranged it.
 */
export interface ListPlace {
  /** The viewer's own and the shared ones, by name */
  readonly views: readonly SavedView[]
  readonly open: SavedView | null
  /** True if the address names a view that there is not for the viewer: it filters nothing */
  readonly isGone: boolean
  /** Id of the view that opens where the address says nothing */
  readonly defaultId: number | null
  /** Names of the columns that the viewer has chosen */
  readonly columns: readonly string[] | null
  /** Rows of a page that the viewer chose last; null: none chosen */
  readonly rows: number | null
  readonly density: Density
  /** That of lists for which the viewer has chosen none */
  readonly usualDensity: Density
}

export const NO_PLACE: ListPlace = {
  views: [],
  open: null,
  isGone: false,
  defaultId: null,
  columns: null,
  rows: null,
  density: DENSITIES[0],
  usualDensity: DENSITIES[0],
}
