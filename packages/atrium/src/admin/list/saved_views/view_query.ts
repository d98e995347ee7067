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
  const kept = [...new URLSearchParams(base)].filter(([name]) => !replaced.has(groupOf(name)))
  const all: Array<[string, string]> = [
    ...kept.map(([name, value]): [string, string] => [
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
export function besideView(base: readonly Field[], fields: readonly Field[]): Field[] {
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
