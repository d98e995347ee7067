import type { Problem } from '../http/problem.js'
import { invalidParameter } from '../http/problems.js'
import type { Inclusion } from '../resource/included_relation.js'
import type { Resource } from '../resource/resource.js'

/**
 * The declared relations that are wanted, as `distributor,genres` or a list of names, in the order in
 * which they are declared. [Q3]
 *
 * @throws Problem 422  for any other name, or an empty part
 */
export function selectInclusions(
  resource: Resource,
  wanted: string | Iterable<string | Inclusion> = []
): Inclusion[] {
  const list = typeof wanted === 'string' ? wanted.split(',') : [...wanted]
  const names = new Set(list.map((one) => (typeof one === 'string' ? one : one.name)))
  const { includes } = resource
  for (const name of names) {
    if (includes.has(name)) continue
    throw notIncluded(name, [...includes.keys()])
  }
  return [...includes.values()].filter((inclusion) => names.has(inclusion.name))
}

/**
 * @param names  what can be included
 */
export function notIncluded(name: string, names: readonly string[]): Problem {
  return invalidParameter(
    'include',
    'include',
    names.length === 0
      ? 'can not be used here: nothing can be included'
      : `must be names of what can be included with commas between, not "${name}"; names are ${names.join(', ')}`
  )
}
