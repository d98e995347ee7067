import { modelPage, type ModelRoutes } from '../http/model_routes.js'
import type { RoutedSite } from '../http/site_routes.js'
import type { Site } from '../views/site.js'

const compare = modelPage(
  () => import('./compare_controller.js'),
  ({ CompareController }) => CompareController
)

/** Registers the page that shows selected records of a model side by side. */
export function compareRoutes(routes: ModelRoutes<Site & RoutedSite>): void {
  const { view } = routes
  if (!view.allowedActions.has('view')) return
  routes.group([], (route) => route('GET', '/compare', ['view'], compare('page')))
}
