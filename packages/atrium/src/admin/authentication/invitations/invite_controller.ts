import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound } from '../../errors.js'
import { momentOf } from '../../time/moment.js'
import type { ModelView } from '../../model_view.js'
import type AdminUser from '../../models/admin_user.js'
import { requireProof } from '../reauthentication/reauthentication.js'
import { makeInvitation } from './invitation_maker.js'
import { INVITATION_HOURS } from './invitations.js'

/**
 * Makes the one-time link of a user, from the user's page. [U12]
 */
export class InviteController {
  /**
   * @param view  of the users
   */
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Renders the link in the response itself, as it is stored nowhere for a redirect to show.
   */
  async make(ctx: HttpContext): Promise<string> {
    const key = this.view.resource.key.fromParams(ctx.params)
    const user = (await this.view.crud.find(key, this.view.callOptions(ctx))) as AdminUser | null
    if (!user) throw new PageNotFound()
    requireProof(ctx, this.view.url(`/update/${user.id}`))
    const made = await makeInvitation(this.site, user, ctx)
    ctx.response.header('referrer-policy', 'no-referrer')
    return await this.site.render(ctx, 'pages/invitation_made', {
      ...made,
      expires: momentOf(made.expiresAt),
      hours: INVITATION_HOURS,
      username: user.username,
      email: user.email,
      page: this.view.url(`/update/${user.id}`),
    })
  }
}
