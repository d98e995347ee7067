import { MOST_CONDITIONS, MOST_GROUPS, type ReadFilter } from '#base/columns/filter'
import { digest } from '#base/values/digest'
import { lastIn } from '../list_address.js'
import type { ListParameters } from '../list_parameters.js'

/** The filter that a form edits, or to which it adds an alternative. */
export interface Target {
  /** The filter that is replaced */
  edited: ReadFilter | undefined
  /** The filter that gets an alternative: one of a group, or one that becomes the first of a new group */
  first: ReadFilter | undefined
}

/** Names of the form's parameters for the target. */
export const TARGET = { edited: 'add.at', first: 'add.or' } as const

/** Returns a short text that identifies a filter of a list, whatever its position. */
export function filterId({ name, text }: ReadFilter): string {
  return digest(`${name}=${text}`, 'base64url').slice(0, 12)
}

/** Returns the target that the parameters of the form name; filters that the list no longer has are undefined. */
export function targetIn({ filters }: ListParameters, given: URLSearchParams): Target {
  const find = (name: string) =>
    given.has(name) ? filters.find((one) => filterId(one) === lastIn(given, name)) : undefined
  return { edited: find(TARGET.edited), first: find(TARGET.first) }
}

/** Returns the target's parameters, for the form's fields and links. */
export function targetFields({ edited, first }: Target): Array<[name: string, text: string]> {
  return [
    ...(edited ? [[TARGET.edited, filterId(edited)] as [string, string]] : []),
    ...(first ? [[TARGET.first, filterId(first)] as [string, string]] : []),
  ]
}

/**
 * Returns true if the list has the maximum number of filters, or of groups if the target needs a new one; false for a
 * filter that is edited.
 */
export function isFull({ filters }: ListParameters, { edited, first }: Target): boolean {
  if (edited) return false
  const groups = new Set(filters.map(({ group }) => group).filter((group) => group !== null))
  const needsGroup = first?.group === null && groups.size >= MOST_GROUPS
  return filters.length >= MOST_CONDITIONS || needsGroup
}

/** Returns the first page of the list with a new filter: in the place of another one, in a group, or at the end. */
export function withFilter(
  parameters: ListParameters,
  filter: ReadFilter,
  { edited, first }: Target
): ListParameters {
  const { filters } = parameters
  if (edited) {
    const replaced = inGroup(filter, edited.group)
    return withAll(filters.map((one) => (one === edited ? replaced : one)))
  }
  if (!first) return withAll([...filters, filter])
  const group = first.group ?? 1 + Math.max(0, ...filters.map((one) => one.group ?? 0))
  const grouped = filters.map((one) => (one === first ? inGroup(one, group) : one))
  const last = grouped.findLastIndex((one) => one.group === group)
  return withAll(grouped.toSpliced(last + 1, 0, inGroup(filter, group)))

  function withAll(all: ReadFilter[]): ListParameters {
    return parameters.with({ page: 1, filters: all })
  }
}

function inGroup(filter: ReadFilter, group: number | null): ReadFilter {
  const name = filter.group === null ? filter.name : filter.name.replace(/^any\.\d+\./, '')
  return { ...filter, group, name: group === null ? name : `any.${group}.${name}` }
}
