import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound } from '../../errors.js'
import { EventType } from '../../events/event_type.js'
import { flashToNextPage } from '../../http/flash.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import AdminUser from '../../models/admin_user.js'
import { hasPassword } from '../passwords/no_password.js'
import { requireProof } from '../reauthentication/reauthentication.js'
import { guardOf } from '../sessions/admin_guard.js'

/**
 * Ends the link of the signed-in user with a person at the provider. The only way in is not taken. [U15]
 */
export class SsoUnlinkController {
  constructor(private readonly site: AdminSite) {}

  async unlink(ctx: HttpContext): Promise<void> {
    const { sso } = this.site
    const id = singleText(sentTexts(ctx), 'id') ?? ''
    if (!sso || !/^[1-9]\d{0,9}$/.test(id)) throw new PageNotFound()
    requireProof(ctx, this.site.url('/account'))
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const all = await sso.identities.of(owner.id)
    const isOnly = all.length < 2 && !(sso.config.passwords && hasPassword(owner.user))
    if (isOnly) return await this.#tell(ctx, 'error', 'sso.onlyWay')
    if (!(await sso.identities.unlink(owner.id, Number(id)))) throw new PageNotFound()
    this.site.logEvent(ctx, {
      type: EventType.UPDATE,
      resourceType: AdminUser.name,
      resourceId: String(owner.id),
      details: { sso: 'unlinked' },
    })
    await this.site.notices.tell(owner, 'sso_unlinked', {}, { session: session.id })
    await this.#tell(ctx, 'success', 'sso.unlinkedNow')
  }

  async #tell(ctx: HttpContext, kind: 'success' | 'error', key: string) {
    await flashToNextPage(ctx, { kind, text: this.site.text(key) })
    ctx.response.status(303).header('location', this.site.url('/account')).send('')
  }
}
