import { invalidParameter } from '../http/problems.js'
import type { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'

/**
 * What the items of an answer hold of their resource, in its order.
 */
export interface Fields {
  columns: readonly Column[]
  /** Computed properties, name on the wire by attribute */
  computed: ReadonlyMap<string, string>
}

/**
 * Narrows the resource's fields to some of them, by wire name: `id,name`, or a list of names. [Q2]
 *
 * @throws Problem 422  for a name that answers don't show anyway, an empty one too
 */
export function selectFields(resource: Resource, wanted: string | Iterable<string>): Fields {
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
    columns: resource.fields.filter(({ wire }) => names.has(wire)),
    computed: new Map([...resource.computed].filter(([, wire]) => names.has(wire))),
  }
}

/**
 * The same where nothing may be wanted in particular, or the fields are selected already.
 */
export function fieldsOf(
  resource: Resource,
  wanted: string | Iterable<string> | Fields | undefined
): Fields | undefined {
  if (typeof wanted === 'string') return selectFields(resource, wanted)
  return wanted && Symbol.iterator in wanted ? selectFields(resource, wanted) : wanted
}

/**
 * What is wanted of a whole item.
 *
 * @param others  what it holds beside its fields and keeps
 */
export function pickFields(
  item: Item,
  { columns, computed }: Fields,
  others: ReadonlyArray<{ name: string }> = []
): Item {
  const names = new Set([
    ...columns.map(({ wire }) => wire),
    ...computed.values(),
    ...others.map(({ name }) => name),
  ])
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)))
}

/**
 * All that an item can hold: columns, then computed properties.
 */
export function fieldNames(resource: Resource): string[] {
  return [...resource.fields.map((column) => column.wire), ...resource.computed.values()]
}
