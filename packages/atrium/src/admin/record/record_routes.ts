import { logged, modelPage, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'
import { relatedNames } from '../views/relation_options.js'
import type { ListSite } from '../list/read_list.js'
import type { RoutedSite } from '../http/site_routes.js'

const record = modelPage(
  () => import('./record_controller.js'),
  ({ RecordController }) => RecordController
)
const related = modelPage(
  () => import('./record_controller.js'),
  ({ RelatedController }) => RelatedController
)

const actions = modelPage(
  () => import('./record_action_controller.js'),
  ({ RecordActionController }) => RecordActionController
)

/** Registers the page of a record, its actions, and the lists of records that refer to it. */
export function recordRoutes(routes: ModelRoutes<ListSite & RoutedSite>): void {
  const { view } = routes
  if (!view.allowedActions.has('view')) return
  const byKey = view.resource.key.pattern
  routes.group([readBody], (route) => {
    for (const { name, needs } of view.recordActions) {
      const path = `/record_action/${name}${byKey}`
      route(
        'GET',
        path,
        [needs],
        actions((page, ctx) => page.page(name, ctx))
      )
      route(
        'POST',
        path,
        [needs],
        actions((page, ctx) => page.submit(name, ctx))
      )
    }
    route('GET', `/view${byKey}`, ['view'], logged('view', record('page')))
    for (const name of relatedNames(view.model, view.options.related)) {
      const show = related((page, ctx) => page.show(name, ctx))
      route('GET', `/related/${name}${byKey}`, ['view'], show)
    }
  })
}
