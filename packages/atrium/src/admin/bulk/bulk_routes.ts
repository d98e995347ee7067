import { modelPage, type ModelRoutes } from '../http/model_routes.js'
import type { BulkSite } from './bulk_job.js'
import type { RoutedSite } from '../http/site_routes.js'

const bulk = modelPage(
  () => import('./bulk_controller.js'),
  ({ BulkController }) => BulkController
)
const forms = modelPage(
  () => import('./bulk_controller.js'),
  ({ BulkFormController }) => BulkFormController
)
const edit = modelPage(
  () => import('./edit/edit_controller.js'),
  ({ EditController }) => EditController
)

/** Registers the bulk tasks of a model, whose handlers parse the request bodies. */
export function bulkRoutes(routes: ModelRoutes<BulkSite & RoutedSite>): void {
  const { view } = routes
  routes.group([], (route) => {
    if (view.may('delete')) {
      const writes = ['delete', 'purge', 'restore'] as const
      route('DELETE', '/bulk-delete', ['delete', 'purge'], bulk('delete'))
      route('POST', '/form_bulk_delete', writes, forms('submit'))
      route('GET', '/form_bulk_delete', writes, forms('askToSubmit'))
      if (view.resource.softDelete) route('POST', '/bulk-restore', ['restore'], bulk('restore'))
    }
    if (view.may('update')) {
      route('GET', '/bulk-edit', ['update'], edit('page'))
      route('POST', '/bulk-edit', ['update'], edit('submit'))
    }
    for (const action of view.bulkActions.filter(({ needs }) => view.may(needs))) {
      const path = `/action/${action.name}`
      const act = forms((page, ctx) => page.act(action, ctx))
      const ask = forms((page, ctx) => page.askToAct(action, ctx))
      route('POST', path, [action.needs], act)
      route('GET', path, [action.needs], ask)
    }
  })
}
