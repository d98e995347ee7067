import { BaseModel } from '@adonisjs/lucid/orm'

/** Prototypes of models, with the names of the members that are repaired for them */
const repaired = new WeakMap<object, Set<string>>()

/**
 * Replaces a member of Lucid for the records of one model; other models keep Lucid's member. A member that the
 * application has overridden is not replaced.
 */
export function repairMember(model: object, name: string, member: PropertyDescriptor): void {
  let owner = model
  while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
  if (owner !== BaseModel.prototype) return
  Object.defineProperty(model, name, member)
  repaired.set(model, (repaired.get(model) ?? new Set()).add(name))
}

/** True for a member that `repairMember` has defined. */
export function isRepaired(model: object, name: string): boolean {
  return repaired.get(model)?.has(name) ?? false
}
