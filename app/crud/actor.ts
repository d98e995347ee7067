import { AsyncLocalStorage } from 'node:async_hooks'
import { shown } from './checks.js'
import { ValueError } from './errors.js'
import type { Actor, SystemActor } from './types.js'

/** Whom own code writes for that does not say who it is. */
export const NOBODY: Actor = Object.freeze({ kind: 'none' })

const LONGEST_NAME = 100

const AMBIENT = new AsyncLocalStorage<Actor>()

/**
 * Own code that says who it is: a command, a job, a listener. It may do all, so policy and scope are not
 * asked about it; events and the log have its name. [P14]
 *
 * @param name  for people, as in `nightly import`; 1 to 100 characters
 * @throws ValueError  for another name
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
 * Runs work for somebody: operations of `LucidCrud` that are not told an actor ask policy and scope about
 * this one, and what is written meanwhile, through `LucidCrud` or through instances of models, is this
 * one's in events and in the log. [P14, E1]
 *
 * @returns what the work returns
 */
export function runAs<Result>(actor: Actor, work: () => Result): Result {
  return AMBIENT.run(actor, work)
}

/**
 * Who the running work is for, by the innermost `runAs` around it.
 */
export function ambientActor(): Actor | undefined {
  return AMBIENT.getStore()
}

/**
 * The same, or nobody.
 */
export function currentActor(): Actor {
  return ambientActor() ?? NOBODY
}
