import type { AdminSite } from '../admin_site.js'
import { crudConfig } from '#crud'
import { isBelowPrefix } from '#crud/internals'

/* Paths of a site at the server's root that belong to others. */
const OTHERS = ['/health']

/**
 * Returns true if the path belongs to the site: a site at the root leaves the API, its docs and the
 * health checks alone. [B6]
 */
export function isBelowMount(site: Pick<AdminSite, 'mountPath'>, path: string): boolean {
  const isOthers = [...OTHERS, crudConfig().docs.path].some(
    (other) => path === other || path.startsWith(`${other}/`)
  )
  if (isOthers || isBelowPrefix(path)) return false
  return path === site.mountPath || path.startsWith(`${site.mountPath}/`)
}
