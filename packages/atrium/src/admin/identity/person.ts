import db from '@adonisjs/lucid/services/db'
import type { Actor } from '#crud'
import { isExternalActor } from '#base/actor'
import AdminUser from '../models/admin_user.js'

/** The properties of a user that determine the permissions. */
export interface Person {
  readonly id: number
  readonly isSuperuser: boolean
  /** Version number that changes whenever the permissions may have changed */
  readonly permissionsVersion: number
  /** Id of the role whose permissions replace those of the user's roles */
  readonly viewedRole?: number
  /** The user as a model instance, for policy and scope */
  readonly user?: AdminUser
}

/** Represents all actors whose roles are not known. Such actors have no permissions. */
export const UNKNOWN: Person = Object.freeze({ id: 0, isSuperuser: false, permissionsVersion: 0 })

const PEOPLE = new WeakMap<object, Person>()

/** Stores the permission data of an actor or user object, so that `personOf` does not have to load the user. */
export function notePerson(actorOrUser: object, person: Person): void {
  PEOPLE.set(actorOrUser, person)
}

/**
 * Returns the user whose roles apply to an actor. If the actor has only some properties of the user, such as the
 * `site.user` of a template, the row is read by id once and becomes the actor's `user`, so that policy and scope can
 * read all properties.
 *
 * @returns null if roles do not apply: code of the application, an anonymous client, or a user of another authorizer;
 *   `UNKNOWN` if roles apply and are not known
 */
export async function personOf(actor: Actor): Promise<Person | null> {
  const known = PEOPLE.get(actor)
  if (known) return known
  if (actor.kind === 'system' || actor.kind === 'none') return null
  if (actor.kind !== 'admin' && actor.kind !== 'token') return UNKNOWN
  const { user } = actor as { user?: unknown }
  if (isWholeRow(user)) return PEOPLE.get(user) ?? user
  if (actor.kind === 'admin') return await resolved(actor, user)
  return isExternalActor(actor) ? null : UNKNOWN
}

async function resolved(actor: Actor & object, user: unknown): Promise<Person> {
  if (typeof user !== 'object' || user === null) return UNKNOWN
  const person = PEOPLE.get(user) ?? (await personBy(user))
  PEOPLE.set(actor, person)
  /* The user of a frozen actor cannot be replaced. */
  if (person.user) Reflect.set(actor, 'user', person.user)
  return person
}

/**
 * Reads the user with the id of an object. Properties of the object can only reduce permissions, never extend them.
 */
async function personBy(given: { id?: unknown; username?: unknown; isSuperuser?: unknown }) {
  const { id, username } = given
  if (!Number.isSafeInteger(id)) return UNKNOWN
  const client = db.connection(AdminUser.connection)
  const user = await AdminUser.query({ client })
    .where('id', id as number)
    .first()
  if (!user || (username !== undefined && username !== user.username)) return UNKNOWN
  const isSuperuser = user.isSuperuser && given.isSuperuser !== false
  return { id: user.id, isSuperuser, permissionsVersion: user.permissionsVersion, user }
}

/**
 * Returns false for a new or deleted instance, and for one that was read without the columns that determine
 * permissions.
 */
function isWholeRow(user: unknown): user is AdminUser {
  if (!(user instanceof AdminUser) || !user.$isPersisted || user.$isDeleted) return false
  return (['id', 'isSuperuser', 'permissionsVersion'] as const).every(
    (name) => user.$attributes[name] !== undefined
  )
}

/**
 * The signed-in user for templates, as `site.user`, with only these three properties. `userActor(site.user)` is the
 * actor of the request, with the permissions of the page, even while a superuser views the site as a role.
 */
export interface SiteUser {
  readonly id: number
  readonly username: string
  /** False for a superuser who currently views the site as a role */
  readonly isSuperuser: boolean
}

export function siteUser(owner: SiteUser & Person): SiteUser {
  const user = Object.freeze({
    id: owner.id,
    username: owner.username,
    isSuperuser: owner.isSuperuser,
  })
  notePerson(user, owner)
  return user
}
