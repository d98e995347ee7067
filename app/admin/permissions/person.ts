import type { Actor } from '#crud'
import AdminUser from '../models/admin_user.js'

/**
 * The parts of a user that decide their permissions.
 */
export interface Person {
  readonly id: number
  readonly isSuperuser: boolean
  /** Another one once anything has changed that their permissions depend on */
  readonly permissionsVersion: number
  /** Id of the role whose permissions count in the place of their own roles' [U6] */
  readonly viewedRole?: number
}

const PEOPLE = new WeakMap<Actor, Person>()

/**
 * Notes whose actor it is, where that is known without making the model instance of the user.
 */
export function notePerson(actor: Actor, person: Person): void {
  PEOPLE.set(actor, person)
}

/**
 * The user of this site whom roles are asked about.
 *
 * @returns null for own code, for nobody known, and for those whom an authorizer of the application's own
 *   knows: they have no roles
 */
export function personOf(actor: Actor): Person | null {
  if (actor.kind !== 'admin' && actor.kind !== 'token') return null
  const known = PEOPLE.get(actor)
  if (known) return known
  const { user } = actor
  return user instanceof AdminUser ? user : null
}
