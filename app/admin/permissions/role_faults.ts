import logger from '@adonisjs/core/services/logger'
import { listed } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import AdminRole from '../models/admin_role.js'
import { unknownNames } from './unknown_names.js'

/**
 * Says once, at boot, what of the roles goes nowhere: a default role that is not there, and names that the
 * application does not have. Neither stops the server: what is unknown allows nothing. [U5, U6]
 */
export async function reportRoleFaults(
  site: Pick<AdminSite, 'adminUserService' | 'models'>
): Promise<void> {
  try {
    const fault = await site.adminUserService.defaultRole.fault()
    if (fault) logger.error(fault)
    for (const role of await AdminRole.query().orderBy('name')) {
      const unknown = unknownNames(site, role.permissions)
      if (unknown.length === 0) continue
      const names = unknown.map(({ text }) => text)
      logger.warn(
        `The role ${role.name} names what there is not, which allows nothing: ${listed(names)}`
      )
    }
  } catch (error) {
    logger.error({ err: error }, 'The roles could not be looked at')
  }
}
