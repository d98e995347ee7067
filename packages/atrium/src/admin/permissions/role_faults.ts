import logger from '@adonisjs/core/services/logger'
import { listed } from '#base/errors'
import type { AdminSite } from '../admin_site.js'
import AdminRole from '../models/admin_role.js'
import { unknownNames } from './unknown_names.js'

/**
 * What of the roles goes nowhere: a default role that is not there, and names that the application does not have. What
 * is unknown allows nothing. [U5, U6]
 */
export async function roleFaults(
  site: Pick<AdminSite, 'adminUserService' | 'models'>
): Promise<Array<{ severity: 'error' | 'warning'; text: string }>> {
  const fault = await site.adminUserService.defaultRole.fault()
  const roles = await AdminRole.query().orderBy('name')
  const unknown = roles.flatMap(({ name, permissions }) => {
    const names = unknownNames(site, permissions).map(({ text }) => text)
    if (names.length === 0) return []
    const text = `The role ${name} names what there is not, which allows nothing: ${listed(names)}`
    return [{ severity: 'warning' as const, text }]
  })
  return fault ? [{ severity: 'error' as const, text: fault }, ...unknown] : unknown
}

/** Writes the errors of the roles into the log, at boot. None stops the server. */
export async function reportRoleFaults(
  site: Pick<AdminSite, 'adminUserService' | 'models'>
): Promise<void> {
  try {
    for (const { severity, text } of await roleFaults(site)) {
      if (severity === 'error') logger.error(text)
      else logger.warn(text)
    }
  } catch (error) {
    logger.error({ err: error }, 'The roles could not be looked at')
  }
}
