import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { SignedIn, SessionRest } from '../authentication/admin_authentication.js'
import { requireProof } from '../identity/proof.js'
import { EventType } from '../events/event_integration.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { guardOf } from '../identity/admin_guard.js'
import { redirectWithMessage } from '../http/redirect.js'

/**
 * Ends other sessions of the signed-in user. Requires a recent reauthentication, so that the thief of one session
 * cannot end the owner's sessions. The current session ends by logging out.
 */
export class OwnSessionsController {
  constructor(private readonly site: AdminSite) {}

  /** Ends the session that the form selects. Sessions of other users and ended sessions count as not found. */
  async end(ctx: HttpContext): Promise<void> {
    const { owner, session } = this.#proved(ctx)
    const id = singleText(sentTexts(ctx), 'id')
    const active = await this.site.sessionManager.activeOf(owner.id)
    const ending = active.find((one) => String(one.id) === id && one.id !== session.id)
    if (ending) await this.site.sessionManager.end(ending)
    await this.#done(ctx, ending ? 1 : 0)
  }

  async endOthers(ctx: HttpContext): Promise<void> {
    const { owner, session } = this.#proved(ctx)
    await this.#done(ctx, await this.site.sessionManager.endAllOf(owner.id, session))
  }

  /**
   * Returns the signed-in user with the session of the request.
   *
   * @throws ReauthenticationRequired  if the last authentication is not recent
   */
  #proved(ctx: HttpContext): SignedIn {
    requireProof(ctx, this.#page)
    return guardOf(ctx).signedInOrFail()
  }

  async #done(ctx: HttpContext, count: number): Promise<void> {
    const { site } = this
    if (count > 0) {
      site.logEvent(ctx, { type: EventType.LOGOUT, details: { ended_sessions: count } })
    }
    await redirectWithMessage(ctx, this.#page, {
      kind: count > 0 ? 'success' : 'error',
      text: site.text('account.sessions.ended', { count }),
    })
  }

  get #page(): string {
    return `${this.site.url('/account')}#sessions`
  }
}

/**
 * Returns how long the session of the request lasts. Like any other, this request counts as activity, unless it has the
 * parameter `?poll`.
 */
export class SessionRestController {
  constructor(private readonly site: AdminSite) {}

  show(ctx: HttpContext): SessionRest {
    ctx.response.header('cache-control', 'no-store')
    return this.site.adminAuthentication.remaining(ctx, guardOf(ctx).signedInOrFail())
  }
}
