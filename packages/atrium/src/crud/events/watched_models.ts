import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Resource } from '../resource/resource.js'

const WATCHED = new WeakMap<LucidModel, Resource>()

/**
 * Marks a model whose writes are reported.
 *
 * @returns false if it is marked already
 */
export function markWatched(resource: Resource): boolean {
  const { model } = resource
  if (WATCHED.has(model)) return false
  WATCHED.set(model, resource)
  return true
}

/** Returns the resource of a model, if the model itself is watched. */
export function watchedResourceOf(model: LucidModel): Resource | undefined {
  return WATCHED.get(model)
}

/** True if writes of a model's instances are reported. */
export function isWatched(model: LucidModel): boolean {
  return watchedClassOf(model) !== undefined
}

/** Returns the model itself or its nearest superclass whose writes are reported. */
export function watchedClassOf(model: unknown): LucidModel | undefined {
  let Class: any = model
  while (Class && !WATCHED.has(Class)) Class = Object.getPrototypeOf(Class)
  return Class ?? undefined
}
