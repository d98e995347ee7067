import { AccessTokensGuard, type AccessToken } from '@adonisjs/auth/access_tokens'
import { symbols } from '@adonisjs/auth'
import type { GuardConfigProvider } from '@adonisjs/auth/types'
import type {
  AccessTokensGuardUser,
  AccessTokensUserProviderContract,
} from '@adonisjs/auth/types/access_tokens'
import type { Secret } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import {
  ValueError,
  type Actor,
  type ApiToken,
  type Authorizer,
  type Operation,
  type Resource,
} from '#crud'
import { unauthenticated } from '#crud/internals'
import { refuseReadOnlyToken } from '#base/actor'
import { abilityMissing } from '#base/http/access_problems'
import type AdminUser from '../../models/admin_user.js'
import { isReadOnly, type AccessTokens, type FoundToken } from './access_tokens.js'
import { readAbilities, allows, readExpiry, readTokenName } from './token_terms.js'

/**
 * User provider of the AdonisJS guard. One instance per request, which caches the token and its user: both come from
 * one query, but the guard requests them in two steps.
 */
export class TokenUsers implements AccessTokensUserProviderContract<AdminUser> {
  declare [symbols.PROVIDER_REAL_USER]: AdminUser

  readonly #tokens: () => Promise<AccessTokens>
  #found: FoundToken | undefined

  constructor(tokens: () => Promise<AccessTokens>) {
    this.#tokens = tokens
  }

  async verifyToken(value: Secret<string>): Promise<AccessToken | null> {
    const tokens = await this.#tokens()
    this.#found = (await tokens.find(value)) ?? undefined
    if (!this.#found) return null
    tokens.noteUse(this.#found.record)
    return this.#found.token
  }

  async findById(id: string | number | bigint): Promise<AccessTokensGuardUser<AdminUser> | null> {
    const user = this.#found?.user
    return user?.id === id ? await this.createUserForGuard(user) : null
  }

  async createUserForGuard(user: AdminUser): Promise<AccessTokensGuardUser<AdminUser>> {
    return { getId: () => user.id, getOriginal: () => user }
  }

  /** Creates a token, mainly for tests: `client.get('/api/films').withGuard('api').loginAs(user)`. */
  async createToken(
    user: AdminUser,
    abilities: string[] = ['*'],
    { name = 'unnamed', expiresIn }: { name?: string; expiresIn?: string | number } = {}
  ): Promise<AccessToken> {
    const tokens = await this.#tokens()
    const { value } = await tokens.issue(user, {
      name: readTokenName(name),
      abilities: readAbilities(abilities.join(',')),
      expiresAt: expiresIn === undefined ? null : readExpiry(`${expiresIn}`),
    })
    const found = await tokens.find(value)
    return Object.assign(found!.token, { value })
  }

  async invalidateToken(value: Secret<string>): Promise<boolean> {
    const tokens = await this.#tokens()
    const found = await tokens.find(value)
    if (!found) return false
    try {
      await tokens.revoke(found.user, String(found.record.id))
      return true
    } catch (error) {
      if (error instanceof ValueError) return false
      throw error
    }
  }
}

const GUARDS = new WeakMap<HttpContext, ApiGuard>()

type ApiGuard = AccessTokensGuard<TokenUsers>

/**
 * Returns the guard for the access token of a request, which is also what `ctx.auth.use('api')` returns. Reads the
 * `Authorization` header only, so cookies are ignored.
 */
export function tokenGuardOf(ctx: HttpContext): ApiGuard {
  let guard = GUARDS.get(ctx)
  if (!guard) {
    const users = new TokenUsers(async () => {
      const site = await app.container.make('admin.site')
      return site.accessTokens
    })
    guard = new AccessTokensGuard('api', ctx, emitter as any, users)
    GUARDS.set(ctx, guard)
  }
  return guard
}

/** Guard of access tokens for `config/auth.ts`: `ctx.auth.use('api')`. The API of Atrium works without it. */
export function apiGuard(): GuardConfigProvider<(ctx: HttpContext) => ApiGuard> {
  return { resolver: async () => tokenGuardOf }
}

/** Authorizes requests to endpoints with the access 'token' by the abilities of the token. */
export class TokenAuthorizer implements Authorizer {
  /**
   * @throws Problem 401  without a valid token
   * @throws Problem 403  if the token lacks the ability, or is read-only and the operation writes
   */
  async authorize(ctx: HttpContext, { name }: Resource, operation: Operation): Promise<Actor> {
    const actor = await this.identify(ctx)
    if (!actor) throw unauthenticated(ctx)
    if (!allows(actor.token.abilities, name, operation))
      throw abilityMissing(`${name}:${operation}`)
    if (operation !== 'read' && operation !== 'read_multi') refuseReadOnlyToken(actor)
    return actor
  }

  async identify(ctx: HttpContext): Promise<(Actor & { token: ApiToken }) | null> {
    const guard = tokenGuardOf(ctx)
    if (!(await guard.check())) return null
    const user = guard.getUserOrFail()
    const { identifier, name, abilities } = user.currentAccessToken
    const readOnly = isReadOnly(user.currentAccessToken) && { readOnly: true }
    const token = Object.freeze({ id: Number(identifier), name: name!, abilities, ...readOnly })
    return { kind: 'token', user, token }
  }
}
