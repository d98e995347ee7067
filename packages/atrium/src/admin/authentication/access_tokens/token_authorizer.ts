import type { HttpContext } from '@adonisjs/core/http'
import type { Actor, ApiToken, Authorizer, Operation, Resource } from '#crud'
import { unauthenticated } from '#crud/internals'
import { abilityMissing } from '#base/http/problems'
import { allows } from './abilities.js'
import { tokenGuardOf } from './api_guard.js'

/**
 * Authorizes requests to endpoints whose access is 'token' by the abilities of the token. [P10]
 */
export class TokenAuthorizer implements Authorizer {
  /**
   * @throws Problem 401  without a valid token
   * @throws Problem 403  when the token lacks the ability
   */
  async authorize(ctx: HttpContext, { name }: Resource, operation: Operation): Promise<Actor> {
    const actor = await this.identify(ctx)
    if (!actor) throw unauthenticated(ctx)
    if (!allows(actor.token.abilities, name, operation))
      throw abilityMissing(`${name}:${operation}`)
    return actor
  }

  async identify(ctx: HttpContext): Promise<(Actor & { token: ApiToken }) | null> {
    const guard = tokenGuardOf(ctx)
    if (!(await guard.check())) return null
    const user = guard.getUserOrFail()
    const { identifier, name, abilities } = user.currentAccessToken
    const token = Object.freeze({ id: Number(identifier), name: name!, abilities })
    return { kind: 'token', user, token }
  }
}
