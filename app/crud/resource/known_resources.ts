import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Resource } from './resource.js'

const KNOWN = new Map<LucidModel, Resource>()

/**
 * Remembers what is known of a model, for others that refer to it. The first one counts: that of its
 * decorator comes before those of a routes file.
 */
export function noteResource(resource: Resource): void {
  if (!KNOWN.has(resource.model)) KNOWN.set(resource.model, resource)
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
