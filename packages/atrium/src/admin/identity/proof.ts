import type { HttpContext } from '@adonisjs/core/http'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Actor } from '#crud'
import { ReauthenticationRequired } from './errors.js'
import AdminAccessToken from '../models/admin_access_token.js'
import AdminRole from '../models/admin_role.js'
import AdminUser from '../models/admin_user.js'
import AdminWebhook from '../models/admin_webhook.js'
import type { OpenSession } from '../models/admin_session.js'
import { guardOf } from './admin_guard.js'

/** Minutes for which a login or a later reauthentication counts as recent */
const PROOF_MINUTES = 10

/**
 * Models whose records determine permissions or the recipients of data. Every write to them requires a recent
 * reauthentication.
 */
const GUARDED: readonly LucidModel[] = [AdminUser, AdminRole, AdminAccessToken, AdminWebhook]

/** Returns true if writes to the model's records require a recent reauthentication. */
export function isGuarded(model: LucidModel): boolean {
  return GUARDED.includes(model)
}

/** Returns true if the user logged in or authenticated again within the last ten minutes. */
export function isRecentlyProved(
  session: Pick<OpenSession, 'createdAt' | 'sessionMetadata'>
): boolean {
  const proved = session.sessionMetadata.provedAt ?? session.createdAt.toMillis() / 1000
  return Date.now() / 1000 - proved < PROOF_MINUTES * 60
}

/**
 * Requires a recent reauthentication from the user of a request.
 *
 * @param next  page to redirect to afterwards, if not the page that the request came from
 * @throws ReauthenticationRequired
 * @throws E_UNAUTHORIZED_ACCESS  when no user is signed in
 */
export function requireProof(ctx: HttpContext, next?: string): void {
  const { session } = guardOf(ctx).signedInOrFail()
  if (!isRecentlyProved(session)) throw new ReauthenticationRequired(next)
}

/**
 * Requires a recent reauthentication from the actor of a write, through any endpoint. Custom code and commands do not
 * need one. Jobs do not need one either, because it was required from the request that started the job.
 *
 * @throws ReauthenticationRequired
 */
export function requireProofOf(actor: Actor | undefined): void {
  const session = actor?.kind === 'admin' ? (actor.session as Partial<OpenSession>) : undefined
  if (!session?.createdAt || !session.sessionMetadata) return
  if (!isRecentlyProved(session as OpenSession)) throw new ReauthenticationRequired()
}
