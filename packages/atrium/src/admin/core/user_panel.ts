import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import type { AdminSite } from '../admin_site.js'
import { TokenPanel } from '../authentication/access_tokens/token_panel.js'
import { hasPassword } from '../authentication/passwords/no_password.js'
import { momentOf } from '../time/moment.js'
import type { UpdatePanel } from '../view_options.js'
import AdminUser from '../models/admin_user.js'

/**
 * Panel on the page of a user: the link to choose a password, and their access tokens. [U12, P10]
 */
export class UserPanel implements UpdatePanel {
  readonly template = 'admin/partials/user'
  readonly sheet = 'tokens.css'
  readonly #tokens: TokenPanel

  constructor(private readonly site: AdminSite) {
    this.#tokens = new TokenPanel(site)
  }

  /** An invited user needs a link to choose a password. */
  async nextStep({ id }: Item): Promise<string | null> {
    const user = await AdminUser.find(id, { client: this.site.dbConfig.readingSession() })
    return user && !hasPassword(user) ? 'password-link' : null
  }

  async data(ctx: HttpContext, record: LucidRow, state?: unknown) {
    const { models, invitations } = this.site
    const user = record as AdminUser
    const users = models.get(AdminUser.name)!
    const pending = await invitations.of(user.id)
    return {
      ...(await this.#tokens.data(ctx, record, state)),
      username: user.username,
      hasPassword: hasPassword(user),
      pending: pending && momentOf(pending.expiresAt),
      signInAsUrl: user.isSuperuser ? null : users.url(`/sign_in_as/${user.id}`),
      inviteUrl: users.url(`/invite/${user.id}`),
    }
  }
}
