import { invalidParameter } from '../http/problems.js'
import type { Column } from './column.js'
import type { Item } from '../types.js'

/** Fields of a response's items, in the order of the resource. */
export interface Fields {
  columns: readonly Column[]
  /** Computed properties: attribute -> API name */
  computed: ReadonlyMap<string, string>
}

/** The fields that responses of a resource can have. */
interface Responding {
  readonly fields: readonly Column[]
  readonly computed: Fields['computed']
}

/**
 * Selects fields of the resource by API name, as `id,name` or as a list of names.
 *
 * @throws Problem 422  for an unknown, hidden or empty name
 */
export function selectFields(resource: Responding, wanted: string | Iterable<string>): Fields {
  const names = new Set(typeof wanted === 'string' ? wanted.split(',') : wanted)
  const known = fieldNames(resource)
  for (const name of names) {
    if (!known.includes(name)) {
      throw invalidParameter(
        'fields',
        'fields',
        `must be names of fields with commas between, not "${name}"; names are ${known.join(', ')}`
      )
    }
  }
  return {
    columns: resource.fields.filter(({ apiName }) => names.has(apiName)),
    computed: new Map([...resource.computed].filter(([, apiName]) => names.has(apiName))),
  }
}

/**
 * Returns the selected fields. Undefined (all fields) and an existing selection are returned unchanged.
 *
 * @throws Problem 422  for an unknown, hidden or empty name
 */
export function fieldsOf(
  resource: Responding,
  wanted: string | Iterable<string> | Fields | undefined
): Fields | undefined {
  if (typeof wanted === 'string') return selectFields(resource, wanted)
  return wanted && Symbol.iterator in wanted ? selectFields(resource, wanted) : wanted
}

/**
 * Returns the selected fields of a whole item.
 *
 * @param others  further properties to include
 */
export function pickFields(
  item: Item,
  { columns, computed }: Fields,
  others: ReadonlyArray<{ names: readonly string[] }> = []
): Item {
  const names = new Set([
    ...columns.map(({ apiName }) => apiName),
    ...computed.values(),
    ...others.flatMap((other) => other.names),
  ])
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)))
}

/** Returns the names of all fields of an item: columns, then computed properties. */
export function fieldNames(resource: Responding): string[] {
  return [...resource.fields.map((column) => column.apiName), ...resource.computed.values()]
}
