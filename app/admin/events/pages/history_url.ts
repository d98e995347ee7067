import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#crud/internals'
import type { ModelView } from '../../model_view.js'
import { mayReadEvents } from './event_access.js'

/**
 * URL of a record's history: `/admin/management/events/record/Film/12`. [E5]
 */
export function historyUrl(view: ModelView, key: KeyValue): string {
  const place = `/management/events/record/${view.name}${view.resource.key.toPath(key)}`
  return view.adminSite ? view.adminSite.url(place) : place
}

/**
 * URL of a record's history for a link; null if the viewer may not read it, or there is no log.
 */
export function historyLink(ctx: HttpContext, view: ModelView, key: KeyValue): string | null {
  const { adminSite } = view
  return adminSite && mayReadEvents(adminSite, ctx) ? historyUrl(view, key) : null
}
