import { BaseModel } from '@adonisjs/lucid/orm'

/** Prototypes of models, with the members that are repaired for them */
const repaired = new WeakMap<object, Set<string>>()

/**
 * Gives the records of one model a member in the place of Lucid's, which other models keep. One that the application has
 * written itself stays.
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
