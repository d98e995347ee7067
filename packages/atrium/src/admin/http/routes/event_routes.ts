import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import { eventsGuard, hasEventLog, superuserGuard } from '../../events/pages/event_access.js'
import { historyUrl } from '../../events/history/history_urls.js'
import { PageNotFound } from '../../errors.js'
import type { ModelView } from '../../model_view.js'
import { keyIn } from '../../record/record_links.js'
import { adminRoute, viewGuard } from './admin_route.js'
import { readBody } from '../read_body.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { redirect } from '../redirect.js'

/**
 * Registers the event log and health pages. [E5]
 */
export function registerEventRoutes(site: AdminSite): void {
  const events = controller(
    () => import('../../events/pages/events_controller.js'),
    ({ EventsController }) => new EventsController(site)
  )
  const health = controller(
    () => import('../../health/health_report.js'),
    ({ HealthController }) => new HealthController(site)
  )
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', `/management${path}`, `management.${name}`, handle)

  site.router
    .group(() => {
      get(
        '/events',
        'events',
        events((page, ctx) => page.index(ctx))
      )
      get(
        '/events/:id',
        'event',
        events((page, ctx) => page.show(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, eventsGuard(site)])
  const undo = controller(
    () => import('../../events/undo/undo_controller.js'),
    ({ UndoController }) => new UndoController(site)
  )
  site.router
    .group(() => {
      const path = '/management/events/:id/undo'
      adminRoute(
        site,
        'POST',
        path,
        'management.event.undo',
        undo((page, ctx) => page.undo(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, readBody])
  site.router
    .group(() =>
      get(
        '/health',
        'health',
        health((page, ctx) => page.show(ctx))
      )
    )
    .use([siteMiddleware, signInGuard, superuserGuard])
}

/** Path of the former history of a model's records, without their keys */
export function formerHistoryPath({ name }: ModelView): string {
  return `/management/events/record/${name}`
}

/**
 * Registers the former address of the history of a model's records, which leads to the current one. [R9]
 */
export function registerFormerHistoryRoute(site: AdminSite, view: ModelView): void {
  const path = formerHistoryPath(view) + view.resource.key.pattern
  const name = `${view.name}:former_history`
  site.router
    .group(() => {
      adminRoute(site, 'GET', path, name, (ctx) => {
        const { params, request } = ctx
        if (!hasEventLog(site)) throw new PageNotFound()
        const { query } = request.parsedUrl
        const url = historyUrl(view, keyIn(params, view)) + (query ? `?${query}` : '')
        redirect(ctx, url, 302)
      })
    })
    .use([siteMiddleware, signInGuard, viewGuard(view)])
}
