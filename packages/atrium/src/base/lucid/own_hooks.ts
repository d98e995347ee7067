import type { LucidModel } from '@adonisjs/lucid/types/model'

const OWN = new WeakSet<object>()

/** Marks a hook as one of the engine, which does not change rows. */
export function markOwnHook<Handler extends object>(handler: Handler): Handler {
  OWN.add(handler)
  return handler
}

/** True if a model has a hook that is not marked, so that its effects are unknown. */
export function hasForeignHook(model: LucidModel, event: string): boolean {
  const handlers: Iterable<object> =
    (model.$hooks.all() as Map<string, Set<object>>).get(event) ?? []
  for (const handler of handlers) if (!OWN.has(handler)) return true
  return false
}
