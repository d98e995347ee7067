import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { eventsGuard, superuserGuard } from '../../events/pages/event_access.js'
import { EventsController } from '../../events/pages/events_controller.js'
import { HealthController } from '../../health/health_controller.js'
import type { ModelView } from '../../model_view.js'
import { adminRoute } from './admin_route.js'
import { flash } from '../flash.js'
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
    .use([siteMiddleware, signInGuard, eventsGuard(site), flash])
  site.router
    .group(() => get('/health', 'health', (ctx) => health.show(ctx)))
    .use([siteMiddleware, signInGuard, superuserGuard, flash])
}

/**
 * Registers the history page of a model's records. [E5]
 */
export function registerHistoryRoute(site: AdminSite, view: ModelView): void {
  const events = new EventsController(site)
  const path = `/management/events/record/${view.name}${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(site, 'GET', path, `${view.name}:history`, (ctx) => events.history(view, ctx))
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), eventsGuard(site), flash])
}
