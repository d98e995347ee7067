import type { HttpContext } from '@adonisjs/core/http'
import { EventType } from '../events/event_type.js'
import type { ModelView } from '../model_view.js'

/**
 * Middleware that logs the view of a page once it was sent: the list, or the form or page of a
 * record. Partial pages, redirects and errors are not views. [E2]
 */
export function logsView(
  view: ModelView,
  page: 'list' | 'update' | 'view',
  handle: (ctx: HttpContext) => unknown
): (ctx: HttpContext) => Promise<unknown> {
  return async (ctx) => {
    const { request, response } = ctx
    const { adminSite: site } = view
    const isPage = request.method() === 'GET' && request.header('hx-request') === undefined
    if (isPage && site?.events.logsViewsOf(page)) {
      const { key } = view.resource
      response.onFinish(() => {
        if (response.getStatus() !== 200) return
        site.logEvent(ctx, {
          type: EventType.VIEW,
          resourceType: view.name,
          resourceId: page === 'list' ? undefined : key.toPath(key.fromParams(ctx.params)).slice(1),
          details: { page },
        })
      })
    }
    return await handle(ctx)
  }
}
