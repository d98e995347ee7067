import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../../admin_site.js'
import type { UpdatePanel } from '../../view_options.js'
import AdminUser from '../../models/admin_user.js'
import { shownFactor } from './factor_section.js'

/**
 * Panel on the page of a user: their second factors, and the button that takes them away. [U10]
 */
export class FactorPanel implements UpdatePanel {
  readonly template = 'admin/partials/user_factors'
  readonly sheet = 'factors.css'

  constructor(private readonly site: AdminSite) {}

  async data(_ctx: HttpContext, record: LucidRow) {
    const { models, adminAuthentication } = this.site
    const user = record as AdminUser
    const factors = await adminAuthentication.factors.of(user.id)
    return {
      factors: factors.map((factor) => shownFactor(factor)),
      isNeeded: adminAuthentication.mustHaveFactor(user.isSuperuser),
      reset: models.get(AdminUser.name)!.url(`/reset_factors/${user.id}`),
    }
  }
}
