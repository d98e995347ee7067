import type { AdminSite } from '../admin_site.js'
import { modelPage, offered, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'

const pages = modelPage(
  () => import('./export_controller.js'),
  ({ ExportController }) => ExportController
)

/**
 * Registers the export of a list, the dialog, and the export of selected records, whose handler parses the request
 * body.
 */
export function exportRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (view.allowedActions.has('view')) {
    routes.group([readBody], (route) => {
      route('GET', '/export', ['export'], offered('export', pages('show')))
      route('POST', '/export', ['export'], offered('export', pages('submit')))
      route('GET', '/export/dialog', ['export'], offered('export', pages('dialog')))
    })
  }
  if (view.may('view')) {
    routes.group([], (route) => {
      route('POST', '/export/selected', ['export'], offered('export', pages('ofSelected')))
    })
  }
}
