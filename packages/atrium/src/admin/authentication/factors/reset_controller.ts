import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound } from '../../errors.js'
import { flashToNextPage } from '../../http/flash.js'
import type AdminUser from '../../models/admin_user.js'
import type { ModelView } from '../../model_view.js'
import { requireProof } from '../reauthentication/reauthentication.js'
import { logFactors, tellOfFactors } from './factor_events.js'

/**
 * Takes the second factors of a user away, who has lost them, and ends their sessions. For superusers. [U10]
 */
export class ResetController {
  /**
   * @param view  view of the admin users
   */
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Asks first.
   */
  async ask(ctx: HttpContext): Promise<unknown> {
    const user = await this.#find(ctx)
    requireProof(ctx)
    const text = (key: string) =>
      this.site.text(`factors.reset.${key}`, { username: user.username })
    return await this.site.render(ctx, 'pages/confirm', {
      heading: text('heading'),
      note: text('note'),
      label: text('label'),
      action: this.view.url(`/reset_factors/${user.id}`),
      isDestructive: true,
      back: this.view.url(`/update/${user.id}`),
    })
  }

  async reset(ctx: HttpContext): Promise<unknown> {
    const user = await this.#find(ctx)
    requireProof(ctx, this.view.url(`/reset_factors/${user.id}`))
    const ended = await this.site.adminAuthentication.factors.reset(user.id)
    logFactors(ctx, this.site, user.id, 'reset')
    await tellOfFactors(ctx, this.site, user, 'factors_reset')
    const text = this.site.text('factors.reset.done', {
      username: user.username,
      sessions: ended.sessions,
    })
    await flashToNextPage(ctx, { kind: 'success', text })
    const page = this.view.url(`/update/${user.id}`)
    return ctx.response.status(303).header('location', page).send('')
  }

  async #find(ctx: HttpContext): Promise<AdminUser> {
    const key = this.view.resource.key.fromParams(ctx.params)
    const user = await this.view.crud.find(key, this.view.callOptions(ctx))
    if (!user) throw new PageNotFound()
    return user as AdminUser
  }
}
