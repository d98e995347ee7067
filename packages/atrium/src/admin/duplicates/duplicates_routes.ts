import type { AdminSite } from '../admin_site.js'
import { modelPage, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'

const duplicates = modelPage(
  () => import('./duplicates_controller.js'),
  ({ DuplicatesController }) => DuplicatesController
)
const merge = modelPage(
  () => import('./merge_controller.js'),
  ({ MergeController }) => MergeController
)

/** Registers the pages that find duplicates of a model of the application and merge records. */
export function duplicatesRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (view.adminModel || !view.allowedActions.has('view')) return
  routes.group([readBody], (route) => {
    route('GET', '/duplicates', ['view'], duplicates('page'))
    if (!view.may('update') || !view.may('delete')) return
    route('POST', '/duplicates', ['update'], duplicates('submit'))
    route('GET', '/merge', ['update'], merge('page'))
    route('POST', '/merge', ['update'], merge('submit'))
  })
}
