import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../admin_site.js'
import { type Choice, Widget } from '../forms/fields/widget.js'
import type AdminUser from '../models/admin_user.js'
import AdminRole from '../models/admin_role.js'
import { roleIdsOf } from '../permissions/user_roles.js'

/** Hidden input next to the roles, so that a form without a chosen role sends the field */
const NONE = 'none'

/**
 * The roles of a user, chosen by their names; a blank form begins with the default role. [U5, U6]
 */
export function rolesWidget(site: Pick<AdminSite, 'dbConfig' | 'adminUserService'>) {
  return class RolesWidget extends Widget {
    readonly template = 'admin/partials/fields/roles'
    readonly sheet = 'roles.css'
    readonly isGroup = true

    read(values: string[]): number[] {
      return values
        .filter((value) => value !== NONE)
        .map((value) => (/^\d{1,10}$/.test(value) ? Number(value) : Number.NaN))
    }

    async choices(_ctx: HttpContext): Promise<Choice[]> {
      const client = site.dbConfig.readingSession()
      const roles = await AdminRole.query({ client })
        .orderBy('name')
        .select('id', 'name', 'description')
      return roles.map(({ id, name, description }) => ({
        value: String(id),
        label: name,
        help: description,
      }))
    }

    async initial(): Promise<string[]> {
      const { defaultRole } = site.adminUserService
      const client = site.dbConfig.readingSession()
      /* A default that is not there is said by who creates without naming roles. */
      if (await defaultRole.fault(client)) return []
      const ids = await defaultRole.ids(client)
      return ids.map(String)
    }

    async stored(record: LucidRow): Promise<string[]> {
      const ids = await roleIdsOf((record as AdminUser).id, site.dbConfig.readingSession())
      return ids.map(String)
    }
  }
}
