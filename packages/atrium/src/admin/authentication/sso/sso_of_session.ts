import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { RefusedWhileActing } from '../../errors.js'
import { EventType } from '../../events/event_type.js'
import { flashToNextPage } from '../../http/flash.js'
import AdminUser from '../../models/admin_user.js'
import type { Sso } from './sso.js'
import type { SsoPerson } from './sso_provider.js'
import { SsoRefused, type SsoRefusal } from './sso_refused.js'
import type { SsoStep } from './sso_step.js'
import { guardOf } from '../sessions/admin_guard.js'

/**
 * Requests to the provider by a user who is signed in: a proof of who they are [U11], or the link between
 * both. The provider has asked the person anew, so a session that somebody else left there is not taken. [U15]
 */
export class SsoOfSession {
  constructor(private readonly site: AdminSite) {}

  /**
   * @throws SsoRefused
   * @throws E_UNAUTHORIZED_ACCESS  if the session has ended in the meantime
   */
  async take(ctx: HttpContext, sso: Sso, person: SsoPerson, step: SsoStep): Promise<void> {
    const guard = guardOf(ctx)
    await guard.checkWithoutFactor()
    const signedIn = guard.signedInOrFail()
    const { acting, owner, session } = signedIn
    if (acting) throw new RefusedWhileActing()
    if (session.id !== step.session) throw new SsoRefused('again')
    const identity = await sso.identities.find(person)
    if (step.aim === 'proof') {
      if (identity?.userId !== owner.id) throw new SsoRefused('unknown')
      await this.site.sessionManager.prove(session)
      await this.site.adminAuthentication.renew(ctx, signedIn)
      this.site.logEvent(ctx, {
        type: EventType.VIEW,
        details: { page: 'proof', method: 'sso' },
      })
      return goTo(ctx, step.next ?? this.site.url('/'))
    }
    const holder = identity?.userId ?? (await this.#link(sso, owner.id, person))
    if (holder !== undefined && holder !== owner.id) throw new SsoRefused('linked')
    if (holder === undefined) {
      this.site.logEvent(ctx, {
        type: EventType.UPDATE,
        resourceType: AdminUser.name,
        resourceId: String(owner.id),
        details: { sso: 'linked' },
      })
      await this.site.notices.tell(owner, 'sso_linked', {}, { session: session.id })
    }
    await flashToNextPage(ctx, { kind: 'success', text: this.site.text('sso.linkedNow') })
    goTo(ctx, this.site.url('/account'))
  }

  /**
   * @returns undefined once they are linked; id of the user with whom another request was first
   */
  async #link(sso: Sso, userId: number, person: SsoPerson): Promise<number | undefined> {
    try {
      await sso.identities.link(userId, person)
      return undefined
    } catch (error) {
      const other = await sso.identities.find(person)
      if (!other) throw error
      return other.userId
    }
  }

  /**
   * Leads back to where the user came from, and says why.
   */
  async refuse(
    ctx: HttpContext,
    refusal: SsoRefusal,
    { aim, next }: Pick<SsoStep, 'aim' | 'next'>
  ): Promise<void> {
    const text = this.site.text(`login.sso_${refusal}`)
    await flashToNextPage(ctx, { kind: 'error', text })
    const query = next ? `?${new URLSearchParams({ next })}` : ''
    goTo(ctx, this.site.url(aim === 'proof' ? `/reauthenticate${query}` : '/account'))
  }
}

function goTo({ response }: HttpContext, place: string): void {
  response.status(303).header('location', place).send('')
}
