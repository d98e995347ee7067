import type { HttpContext } from '@adonisjs/core/http'
import { systemActor } from '#crud'
import type { SystemActor } from '#base/types'
import { madeContext } from '../http/made_context.js'

const OPERATORS = new WeakMap<HttpContext, SystemActor>()

/**
 * A context for a command, which the operator of the server runs: nobody is signed in, and policy, scope and roles do
 * not apply.
 *
 * @param command  its name, as in `crud:export`
 */
export async function operatorContext(command: string): Promise<HttpContext> {
  const ctx = await madeContext()
  OPERATORS.set(ctx, systemActor(command))
  return ctx
}

/**
 * The actor of a command; undefined for a request or a job, which somebody is signed in for.
 */
export function operatorOf(ctx: HttpContext): SystemActor | undefined {
  return OPERATORS.get(ctx)
}
