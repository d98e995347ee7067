import type { HttpContext } from '@adonisjs/core/http'

/** Cookie that admin.js writes: the encoded labels of closed groups, with dots between */
export const CLOSED_GROUPS = 'admin_closed_groups'

/**
 * Labels of the groups of the sidebar that the viewer has closed.
 */
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
