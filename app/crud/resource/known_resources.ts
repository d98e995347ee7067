import type { LucidModel } from '@adonisjs/lucid/types/model'
import { noteFileColumns } from '../operations/check_files.js'
import type { Resource } from './resource.js'

const KNOWN = new Map<LucidModel, Resource>()
const OF_ENDPOINTS = new WeakSet<Resource>()
const APART = new Set<LucidModel>()

/**
 * Remembers what is known of a model, for others that refer to it. The first one counts: that of its
 * decorator comes before those of a routes file. Those of endpoints come before all others, as they say
 * who may see the model's records.
 */
export function noteResource(
  resource: Resource,
  { hasEndpoints }: { hasEndpoints: boolean }
): void {
  noteFileColumns(resource.model, resource.fileColumns)
  const known = KNOWN.get(resource.model)
  if (hasEndpoints) OF_ENDPOINTS.add(resource)
  if (!known || (hasEndpoints && !OF_ENDPOINTS.has(known))) KNOWN.set(resource.model, resource)
}

/**
 * What is known of the models of a table, in the order in which they were noted.
 */
export function resourcesOfTable(table: string): Resource[] {
  return [...KNOWN.values()].filter((resource) => resource.table === table)
}

/**
 * What is known of a model.
 *
 * @param create  is asked once for a model that nobody has noted
 */
export function knownResource(
  model: LucidModel,
  create: (model: LucidModel) => Resource
): Resource {
  const known = KNOWN.get(model)
  if (known) return known
  const created = create(model)
  KNOWN.set(model, created)
  return created
}

/**
 * Has the answers of endpoints never embed a model's records, whatever its access: for what a part of
 * the application keeps for itself. [Q3]
 */
export function keepApart(model: LucidModel): void {
  APART.add(model)
}

/**
 * Whether it is such a model, or derived from one.
 */
export function isKeptApart(model: LucidModel): boolean {
  for (let one: unknown = model; typeof one === 'function'; one = Object.getPrototypeOf(one)) {
    if (APART.has(one as LucidModel)) return true
  }
  return false
}
