import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { listed } from '#base/errors'
import type { AdminSite } from '../admin_site.js'
import type { UpdatePanel } from '../view_options.js'
import AdminRole from '../models/admin_role.js'
import AdminUser from '../models/admin_user.js'
import { offeredViews } from '../permissions/matrix/matrix_view.js'
import { withheldFromCreate } from '../permissions/withheld_from_create.js'
import { permissionsInWords } from '../permissions/words.js'

/* The others are counted. */
const MOST_SHOWN = 20

/**
 * Panel above the form of a role: its permissions in words, its users, and *View as*. [U6]
 */
export class RolePanel implements UpdatePanel {
  readonly template = 'admin/partials/role'
  readonly sheet = 'roles.css'
  readonly place = 'above'

  constructor(private readonly site: AdminSite) {}

  async data(_ctx: HttpContext, record: LucidRow) {
    const role = record as AdminRole
    const { models, dbConfig } = this.site
    const users = models.get(AdminUser.name)!
    const rows: Array<{ id: number; username: string }> = await dbConfig
      .readingSession()
      .from('admin_user_roles')
      .join('admin_users', 'admin_users.id', 'admin_user_roles.user_id')
      .where('admin_user_roles.role_id', role.id)
      .orderBy('admin_users.username')
      .select('admin_users.id as id', 'admin_users.username as username')
    const warnings = withheldFromCreate(offeredViews(this.site), role.permissions)
    return {
      warnings: warnings.map(({ view, fields }) =>
        this.site.text('roles.page.withheld', {
          model: view.label,
          fields: listed(fields.map((name) => view.labelOf(name))),
        })
      ),
      words: permissionsInWords(role.permissions),
      users: rows.slice(0, MOST_SHOWN).map(({ id, username }) => ({
        username,
        url: users.url(`/update/${id}`),
      })),
      more: Math.max(0, rows.length - MOST_SHOWN),
      viewAs: models.get(AdminRole.name)!.url(`/view_as/${role.id}`),
    }
  }
}
