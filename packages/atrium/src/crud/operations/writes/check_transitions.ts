import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { identityOf } from '#base/columns/key'
import { transitionRefused } from '#base/http/access_problems'
import { invalidTransition } from '#base/http/problems'
import { unionOf } from '../../resource/projection.js'
import type { Resource } from '../../resource/resource.js'
import { nextValues, transitionName } from '#base/columns/transitions'
import type { CallOptions } from '../call_options.js'
import { reachedOf } from '../authorize.js'

/**
 * Checks the changes of a record against the transitions of its model.
 *
 * @param record  stored record with its changed attributes
 * @throws Problem 422  for a change that the model does not allow
 * @throws Problem 403  for a transition that the actor is not allowed to make
 */
export async function checkTransitions(
  resource: Resource,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  for (const limited of resource.limitedColumns) {
    const { apiName, attribute } = limited.column
    const from = record.$original[attribute]
    const to = record.$attributes[attribute]
    if (String(from ?? '') === String(to ?? '')) continue
    const next = nextValues(limited, from)
    if (next === null) continue
    if (!next.includes(String(to ?? ''))) {
      throw invalidTransition(apiName, String(from), to === null ? to : String(to), next)
    }
    const name = transitionName(limited.column, String(from), String(to))
    const [isAllowed] = await mayMake(resource, record, [name], client, options)
    if (!isAllowed) throw transitionRefused(apiName, String(from), String(to))
  }
}

/**
 * Returns the values that the limited columns of a record can change to, for the transitions that the actor is
 * allowed to make.
 * @returns by API name; without columns that accept any value
 */
export async function transitionsOn(
  resource: Resource,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const limited of resource.limitedColumns) {
    const from = record.$attributes[limited.column.attribute]
    const next = nextValues(limited, from)
    if (next === null) continue
    const names = next.map((to) => transitionName(limited.column, String(from), to))
    const allowed = await mayMake(resource, record, names, client, options)
    found.set(
      limited.column.apiName,
      next.filter((_, index) => allowed[index])
    )
  }
  return found
}

/**
 * Returns for each transition whether the actor is allowed to make it. Runs a statement only if the grants with a
 * transition are limited to some records.
 */
async function mayMake(
  resource: Resource,
  record: LucidRow,
  names: readonly string[],
  client: QueryClientContract,
  options: CallOptions
): Promise<boolean[]> {
  const { key, projection } = resource
  if (!projection || names.length === 0) return names.map(() => true)
  const reaches = names.map((name) => unionOf(projection.grantsForTransition(name)))
  if (reaches.every((one) => one === null || one.length === 0)) {
    return reaches.map((one) => one === null)
  }
  const value = key.of(record)
  const reached = await reachedOf(resource, [value], reaches, client, options)
  return [...(reached.get(identityOf(value)) ?? names.map(() => false))]
}
