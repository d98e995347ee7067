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

type Field = readonly [name: string, value: string]

/* The value of one says nothing without the other. */
const TOGETHER: Record<string, string> = {
  'sort_order': 'sort_by',
  'search-input': 'column-to-search',
}

/* Values that take back a parameter of a view, where an empty one does not */
const TAKEN_BACK: Record<string, string> = {
  'sort_by': 'None',
  'deleted': 'exclude',
  'rows-per-page-select': '10',
}

/**
 * The query of a view with further parameters, which win. [L5]
 *
 * @param base    query of the view
 * @param given   query of the address
 * @param search  name of the parameter with the search text in the address
 */
export function withView(base: string, given: URLSearchParams, search: string): URLSearchParams {
  const partOf = (name: string) => groupOf(name === search ? 'search-input' : name)
  const replaced = new Set([...given.keys()].map(partOf))
  const stored = [...new URLSearchParams(base)].filter(([name]) => !replaced.has(groupOf(name)))
  const all: Array<[string, string]> = [
    ...stored.map(([name, value]): [string, string] => [
      name === 'search-input' ? search : name,
      value,
    ]),
    ...[...given].filter(([name]) => name !== 'view'),
  ]
  return new URLSearchParams(all)
}

/**
 * The parameters to write next to a view for a list with these parameters.
 *
 * @param base    parameters of the view
 * @param fields  parameters of the list
 */
export function fieldsOutsideView(base: readonly Field[], fields: readonly Field[]): Field[] {
  const before = Map.groupBy(base, ([name]) => groupOf(name))
  const now = Map.groupBy(fields, ([name]) => groupOf(name))
  const changed = [...now].filter(([group, some]) => !isSame(some, before.get(group)))
  const gone = [...before].filter(([group]) => !now.has(group))
  return [
    ...changed.flatMap(([, some]) => some),
    ...gone.map(([group]): Field => [group, TAKEN_BACK[group] ?? '']),
  ]
}

function groupOf(name: string): string {
  return TOGETHER[name] ?? name
}

function isSame(some: readonly Field[], others: readonly Field[] = []): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}
