import type { AdminSite } from '../admin_site.js'
import { modelPage, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'

const cells = modelPage(
  () => import('./cells_controller.js'),
  ({ CellsController }) => CellsController
)

/** Registers the endpoints to edit cells of a list in place. */
export function cellRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (!view.allowedActions.has('update')) return
  const path = `/cell${view.resource.key.pattern}`
  routes.group([readBody], (route) => {
    route('GET', path, ['update'], cells('edit'))
    route('POST', path, ['update'], cells('save'))
  })
}
