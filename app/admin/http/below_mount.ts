import type { AdminSite } from '../admin_site.js'
import { isBelowPrefix } from '#crud/endpoints/generated_routes'
import { crudConfig } from '#crud/settings'

/* What may be asked of a server at its root without it being the site's. */
const OTHERS = ['/health']

/**
 * Whether a path is the site's: at the root, it leaves the API, the docs and the health checks their
 * own. [B6]
 */
export function isBelowMount(site: Pick<AdminSite, 'mountPath'>, path: string): boolean {
  const isOthers = [...OTHERS, crudConfig().docs.path].some(
    (other) => path === other || path.startsWith(`${other}/`)
  )
  if (isOthers || isBelowPrefix(path)) return false
  return path === site.mountPath || path.startsWith(`${site.mountPath}/`)
}
