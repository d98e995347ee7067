import type { ModelView } from '../views/model_view.js'
import { PageNotFound } from '../http/errors.js'
import { modelPage, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'
import { redirect } from '../http/redirect.js'
import { siteRoutes, viewGuard, type RoutedSite } from '../http/site_routes.js'
import { signInGuard } from '../http/guards.js'
import { keyIn } from '../http/record_links.js'
import { hasEventLog } from '../events/database_integration.js'
import { historyUrl } from '../http/event_access.js'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'

const history = modelPage(
  () => import('./history_controller.js'),
  ({ HistoryController }) => HistoryController
)

/** Returns the legacy path of the history of a model's records, without the key. */
export function formerHistoryPath({ name }: ModelView): string {
  return `/management/events/record/${name}`
}

/**
 * Registers the history of a model's records, for users who can view or update them. The legacy address redirects to
 * the current one.
 */
export function historyRoutes(routes: ModelRoutes<Site & WithDatabase & RoutedSite>): void {
  const { site, view } = routes
  if (!view.may('view') && !view.may('update')) return
  const byKey = view.resource.key.pattern
  routes.group([readBody], (route) => {
    route('GET', `/history${byKey}`, ['read', 'update'], history('show'))
  })
  siteRoutes(site, [signInGuard, viewGuard(view)], ({ get }) => {
    const path = formerHistoryPath(view) + byKey
    get(path, `${view.name}:former_history`, (ctx) => {
      const { params, request } = ctx
      if (!hasEventLog(site)) throw new PageNotFound()
      const { query } = request.parsedUrl
      const url = historyUrl(view, keyIn(params, view)) + (query ? `?${query}` : '')
      redirect(ctx, url, 302)
    })
  })
}
