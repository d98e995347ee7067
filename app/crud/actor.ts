import { AsyncLocalStorage } from 'node:async_hooks'
import { shown, ValueError } from './errors.js'
import type { Actor, SystemActor } from './types.js'

/** The actor of writes by own code that names no actor. */
export const NOBODY: Actor = Object.freeze({ kind: 'none' })

const LONGEST_NAME = 100

const AMBIENT = new AsyncLocalStorage<Actor>()

/**
 * The actor of own code such as a command, a job or a listener. Policy and scope do not apply to it;
 * events and the log record its name. [P14]
 *
 * @param name  for people, as in `nightly import`; 1 to 100 characters
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
 * Runs work on behalf of an actor. Operations of `LucidCrud` that are given no actor apply policy and
 * scope to this one. Events and the log record it for every write of the work, through `LucidCrud` or
 * through model instances. [P14, E1]
 *
 * @returns the result of the work
 */
export function runAs<Result>(actor: Actor, work: () => Result): Result {
  return AMBIENT.run(actor, work)
}

/** The actor of the innermost `runAs` around the running code; undefined outside of `runAs`. */
export function ambientActor(): Actor | undefined {
  return AMBIENT.getStore()
}

/** The actor of the innermost `runAs` around the running code, or `NOBODY`. */
export function currentActor(): Actor {
  return ambientActor() ?? NOBODY
}
