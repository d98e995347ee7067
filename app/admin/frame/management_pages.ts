import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { hasEventLog, isSuperuser } from '../events/pages/event_access.js'

/**
 * The pages that tell of the site itself, as the sidebar has them: for superusers only, and those of
 * the event log only where there is one. [E5, B13]
 */
export function managementPages(site: AdminSite, ctx: HttpContext) {
  if (!isSuperuser(ctx)) return []
  const path = ctx.request.url()
  return [...(hasEventLog(site) ? ['events'] : []), 'health'].map((name) => {
    const url = site.url(`/management/${name}`)
    const active = path === url || path.startsWith(`${url}/`)
    return { name, label: site.text(`sidebar.${name}`), icon: undefined, url, active }
  })
}
