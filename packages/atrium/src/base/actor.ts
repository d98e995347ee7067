import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem, shown, ValueError } from './errors.js'
import type { Actor, ActorUser, ApiToken, SystemActor, TokenActor } from './types.js'

/** Actor of writes by application code that does not specify an actor. */
export const ANONYMOUS: Actor = Object.freeze({ kind: 'none' })

const LONGEST_NAME = 100

const KINDS = new Set<Actor['kind'] | undefined>(['admin', 'token', 'system', 'none'])

const AMBIENT = new AsyncLocalStorage<Actor>()

/**
 * Returns an actor for application code such as a command, a job or a listener. Policy and scope do not apply to this
 * actor; events and the log record its name.
 *
 * @param name  readable name such as `nightly import`; 1 to 100 characters
 * @throws ValueError  for any other name
 */
export function systemActor(name: string): SystemActor {
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME) {
    throw new ValueError(
      `systemActor: the name is ${shown(name)}, and must be a text of 1 to ${LONGEST_NAME} characters that says which code it is`
    )
  }
  return Object.freeze({ kind: 'system', name })
}

/**
 * Runs work on behalf of an actor. Operations of `LucidCrud` without an actor option apply policy and scope to this
 * actor. Events and the log record it for every write of the work, through `LucidCrud` or through model instances.
 *
 * @returns the result of the work
 * @throws ValueError  for a value that is not an actor, such as a user
 */
export function runAs<Result>(actor: Actor, work: () => Result): Result {
  if (!KINDS.has((actor as Actor | undefined)?.kind)) {
    throw new ValueError(
      'runAs: this is not an actor; make one with userActor(user), systemActor(name) or externalActor(user)'
    )
  }
  return AMBIENT.run(actor, work)
}

/** Returns the actor of the innermost `runAs` around the running code; undefined outside `runAs`. */
export function ambientActor(): Actor | undefined {
  return AMBIENT.getStore()
}

/** Returns the actor of the innermost active `runAs`, or `ANONYMOUS`. */
export function currentActor(): Actor {
  return ambientActor() ?? ANONYMOUS
}

const EXTERNAL = new WeakSet<Actor>()

/**
 * Returns an actor for a user that the application itself authenticates, such as a customer. Such users have no roles:
 * the policy and scope of each model decide what they are allowed to do.
 *
 * @param user   user that policy and scope can read as `actor.user`
 * @param token  token with which the user was authenticated
 */
export function externalActor(user?: ActorUser, token?: ApiToken): TokenActor {
  return markExternal({ kind: 'token', user, token })
}

/** Marks an actor that the application itself has authenticated. */
export function markExternal<One extends Actor>(actor: One): One {
  EXTERNAL.add(actor)
  return actor
}

export function isExternalActor(actor: Actor): boolean {
  return EXTERNAL.has(actor)
}

/**
 * Refuses a write if the actor's token is read-only.
 *
 * @throws Problem 403
 */
export function refuseReadOnlyToken(actor: Actor | undefined): void {
  if (!actor?.token?.readOnly) return
  throw new Problem(403, 'This token is read-only', { refusal: 'ability' })
}
