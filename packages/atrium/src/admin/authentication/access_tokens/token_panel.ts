import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../../admin_site.js'
import { momentOf } from '../../time/moment.js'
import type { UpdatePanel } from '../../view_options.js'
import AdminAccessToken from '../../models/admin_access_token.js'
import AdminUser from '../../models/admin_user.js'
import { tokenFields, type TypedToken } from './token_form.js'

/**
 * Panel on the page of a user: their access tokens and the form for a new one. Deleting works as in
 * the list of all tokens. [P10]
 */
export class TokenPanel implements UpdatePanel {
  readonly template = 'admin/partials/tokens'
  readonly sheet = 'tokens.css'

  constructor(private readonly site: AdminSite) {}

  async data(_ctx: HttpContext, record: LucidRow, state?: unknown) {
    const { models, accessTokens } = this.site
    const user = record as AdminUser
    const tokens = await accessTokens.ofUser(user)
    const typed = (state as TypedToken | undefined) ?? { typed: {}, faults: {} }
    const users = models.get(AdminUser.name)!
    return {
      tokens: tokens.map((token) => shownToken(token)),
      fields: tokenFields(this.site, typed),
      isRefused: Object.keys(typed.faults).length > 0,
      urls: {
        issue: users.url(`/issue_token/${user.id}`),
        remove: models.get(AdminAccessToken.name)!.url('/form_bulk_delete'),
        page: users.url(`/update/${user.id}`),
      },
    }
  }
}

/**
 * An access token as pages show it.
 */
export function shownToken(token: AdminAccessToken) {
  const { id, name, abilities, createdAt, lastUsedAt, expiresAt, isExpired } = token
  return {
    id,
    name,
    abilities: abilities.join(', '),
    created: momentOf(createdAt),
    lastUsed: lastUsedAt && momentOf(lastUsedAt),
    expires: expiresAt && momentOf(expiresAt),
    isExpired,
  }
}
