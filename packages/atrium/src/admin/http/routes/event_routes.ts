import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { eventsGuard, hasEventLog, superuserGuard } from '../../events/pages/event_access.js'
import { EventsController } from '../../events/pages/events_controller.js'
import { HealthController } from '../../health/health_controller.js'
import { historyUrl } from '../../events/history/history_url.js'
import { PageNotFound } from '../../errors.js'
import type { ModelView } from '../../model_view.js'
import { keyIn } from '../../record/find_record.js'
import { adminRoute } from './admin_route.js'
import { readBody } from '../read_body.js'
import { UndoController } from '../../events/undo/undo_controller.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { viewGuard } from './view_guard.js'

/**
 * Registers the event log and health pages. [E5]
 */
export function registerEventRoutes(site: AdminSite): void {
  const events = new EventsController(site)
  const health = new HealthController(site)
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', `/management${path}`, `management.${name}`, handle)

  site.router
    .group(() => {
      get('/events', 'events', (ctx) => events.index(ctx))
      get('/events/:id', 'event', (ctx) => events.show(ctx))
    })
    .use([siteMiddleware, signInGuard, eventsGuard(site)])
  const undo = new UndoController(site)
  site.router
    .group(() => {
      const path = '/management/events/:id/undo'
      adminRoute(site, 'POST', path, 'management.event.undo', (ctx) => undo.undo(ctx))
    })
    .use([siteMiddleware, signInGuard, readBody])
  site.router
    .group(() => get('/health', 'health', (ctx) => health.show(ctx)))
    .use([siteMiddleware, signInGuard, superuserGuard])
}

/**
 * Registers the former address of the history of a model's records, which leads to the present one. [R9]
 */
export function registerFormerHistoryRoute(site: AdminSite, view: ModelView): void {
  const path = `/management/events/record/${view.name}${view.resource.key.pattern}`
  const name = `${view.name}:former_history`
  site.router
    .group(() => {
      adminRoute(site, 'GET', path, name, ({ params, request, response }) => {
        if (!hasEventLog(site)) throw new PageNotFound()
        const { query } = request.parsedUrl
        const url = historyUrl(view, keyIn(params, view)) + (query ? `?${query}` : '')
        response.status(302).header('location', url).send('')
      })
    })
    .use([siteMiddleware, signInGuard, viewGuard(view)])
}
