import type { LucidModel } from '@adonisjs/lucid/types/model'

const APART = new Set<LucidModel>()

/**
 * Excludes a model's records from all includes of the endpoints, regardless of its access: for internal models of a
 * part of the application.
 */
export function excludeFromInclude(model: LucidModel): void {
  APART.add(model)
}

/** True for an excluded model, or a subclass of one. */
export function isExcludedFromInclude(model: LucidModel): boolean {
  for (let one: unknown = model; typeof one === 'function'; one = Object.getPrototypeOf(one)) {
    if (APART.has(one as LucidModel)) return true
  }
  return false
}
