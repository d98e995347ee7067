import { invalidParameter } from '#base/http/problems'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { Problem } from '#base/errors'

/**
 * Reads the relations to include, as `distributor,genres` or a list of names; returns them in the order
 * of their declaration. [Q3]
 *
 * @throws Problem 422  for any other name, or an empty part
 */
export function selectIncludes(
  resource: Resource,
  wanted: string | Iterable<string | IncludedRelation> = []
): IncludedRelation[] {
  const list = typeof wanted === 'string' ? wanted.split(',') : [...wanted]
  const names = new Set(list.map((one) => (typeof one === 'string' ? one : one.name)))
  const { includes } = resource
  for (const name of names) {
    if (includes.has(name)) continue
    throw notIncluded(name, [...includes.keys()])
  }
  return [...includes.values()].filter((include) => names.has(include.name))
}

/** @param names  the relations that can be included */
export function notIncluded(name: string, names: readonly string[]): Problem {
  return invalidParameter(
    'include',
    'include',
    names.length === 0
      ? 'can not be used here: nothing can be included'
      : `must be names of what can be included with commas between, not "${name}"; names are ${names.join(', ')}`
  )
}
