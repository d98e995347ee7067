import type { HttpContext } from '@adonisjs/core/http'
import type { Actor } from '#crud'
import { tokenGuardOf } from '../../authentication/access_tokens/api_guard.js'
import { adminActor } from '../../authentication/admin_actor.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'
import type AdminSession from '../../models/admin_session.js'
import type AdminUser from '../../models/admin_user.js'

/** Who sent a refused request, as far as it is known. */
export interface RefusedCaller {
  /** Of the user or the token, for comparison; null: known by the address alone */
  id: string | null
  username?: string
  user?: () => AdminUser
  session?: Pick<AdminSession, 'id'>
  /** Name of the access token */
  token?: string
  /** For permissions */
  actor: Actor
  /** True if the request has a session, a token or an attempt at one */
  sentCredentials: boolean
}

export function refusedCaller(ctx: HttpContext): RefusedCaller {
  return signedInCaller(ctx) ?? tokenCaller(ctx) ?? anonymousCaller(ctx)
}

function signedInCaller(ctx: HttpContext): RefusedCaller | null {
  const guard = guardOf(ctx)
  const found = guard.signedIn ?? guard.lackingFactor
  if (!found) return null
  const { owner, session } = found
  return {
    id: `user:${owner.id}`,
    username: owner.username,
    user: () => owner.user,
    session,
    actor: guard.signedIn ? adminActor(ctx) : { kind: 'none' },
    sentCredentials: true,
  }
}

function tokenCaller(ctx: HttpContext): RefusedCaller | null {
  const user = tokenGuardOf(ctx).user
  if (!user) return null
  const { identifier, name, abilities } = user.currentAccessToken
  const token = { id: Number(identifier), name: name!, abilities }
  return {
    id: `token:${identifier}`,
    username: user.username,
    user: () => user,
    token: token.name,
    actor: { kind: 'token', user, token },
    sentCredentials: true,
  }
}

function anonymousCaller({ request }: HttpContext): RefusedCaller {
  const session = request.plainCookie('session_id', { encoded: false })
  const sentCredentials = Boolean(session) || request.header('authorization') !== undefined
  return { id: null, actor: { kind: 'none' }, sentCredentials }
}
