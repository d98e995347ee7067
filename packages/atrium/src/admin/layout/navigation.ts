import type { HttpContext } from '@adonisjs/core/http'
import { hasEventLog, isSuperuser, type LoggedSite } from '../http/event_access.js'

/** Cookie that admin.js writes: the encoded labels of collapsed groups, separated by dots */
export const CLOSED_GROUPS = 'admin_closed_groups'

/** Returns the labels of the sidebar groups that the viewer has collapsed. */
export function closedGroups({ request }: HttpContext): ReadonlySet<string> {
  const cookie: unknown = request.plainCookie(CLOSED_GROUPS, { encoded: false })
  if (typeof cookie !== 'string') return new Set()
  return new Set(cookie.split('.').map(decoded))
}

function decoded(label: string): string {
  try {
    return decodeURIComponent(label)
  } catch {
    return ''
  }
}

const ICONS: Record<string, string> = {
  jobs: 'M4 6h16M4 12h10M4 18h6M16.5 14v4l2.5 1.5',
  events: 'M3.5 12a8.5 8.5 0 1 0 2.6-6.1L3.5 8.5M3.5 4v4.5H8M12 7.5V12l3.5 2',
  health: 'M2.5 12.5H7l3-8 4 15 3-7h4.5',
}

/** The properties of the site that the sidebar uses. */
interface SidebarSite extends LoggedSite {
  url(path: string): string
  text(key: string): string
}

/**
 * Returns the sidebar links to the management pages: the user's jobs for users who see any model, the others for
 * superusers, and the event log only if the site stores events.
 */
export function managementPages(site: SidebarSite, ctx: HttpContext, { seesModels = true } = {}) {
  const path = ctx.request.url()
  const names = isSuperuser(ctx)
    ? [...(hasEventLog(site) ? ['events'] : []), 'jobs', 'health']
    : seesModels
      ? ['jobs']
      : []
  return names.map((name) => {
    const url = site.url(`/management/${name}`)
    const active = path === url || path.startsWith(`${url}/`)
    return {
      name,
      label: site.text(`sidebar.${name}`),
      icon: { path: ICONS[name], letter: '' },
      url,
      active,
    }
  })
}
