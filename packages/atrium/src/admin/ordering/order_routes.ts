import { modelPage, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'
import type { AdminSite } from '../admin_site.js'

const order = modelPage(
  () => import('./order_controller.js'),
  ({ OrderController }) => OrderController
)

/** Registers the moves of a model's records, if their order is stored. */
export function orderRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (!view.orderColumn || !view.allowedActions.has('update')) return
  const path = `/move${view.resource.key.pattern}`
  routes.group([readBody], (route) => {
    route('GET', path, ['update'], order('ask'))
    route('POST', path, ['update'], order('move'))
  })
}
