import { readBody } from '../http/read_body.js'
import { logged, modelPage, offered, type ModelRoutes, type Show } from '../http/model_routes.js'
import type { ListSite } from './read_list.js'
import type { RoutedSite } from '../http/site_routes.js'
import type { WithUserAttributes } from '../config/user_attributes.js'

const list = modelPage(
  () => import('./list_controller.js'),
  ({ ListController }) => ListController
)
const print = modelPage(
  () => import('./list_controller.js'),
  ({ PrintController }) => PrintController
)
const filter = modelPage(
  () => import('./filters/filter_controller.js'),
  ({ FilterController }) => FilterController
)
const facets = modelPage(
  () => import('./filters/filter_controller.js'),
  ({ FacetsController }) => FacetsController
)
const suggestions = modelPage(
  () => import('./filters/filter_controller.js'),
  ({ SuggestionsController }) => SuggestionsController
)
const explain = modelPage(
  () => import('./explain/explain_controller.js'),
  ({ ExplainController }) => ExplainController
)
const columns = modelPage(
  () => import('./columns/columns_controller.js'),
  ({ ColumnsController }) => ColumnsController
)
const views = modelPage(
  () => import('./saved_views/views_controller.js'),
  ({ ViewsController }) => ViewsController
)
/** Registers the list of a model with its filters, columns and saved views. */
export function listRoutes(routes: ModelRoutes<ListSite & WithUserAttributes & RoutedSite>): void {
  if (!routes.view.allowedActions.has('view')) return
  routes.group([readBody], (route) => {
    route('GET', '/', ['view'], logged('list', list('page')))
    route('GET', '/get_model_list', ['view'], logged('list', list('content')))
    route('GET', '/table-content', ['view'], list('table'))
    route('GET', '/print', ['view'], logged('list', print('show')))
    const add = (method: 'GET' | 'POST', path: string, show: Show<ListSite & WithUserAttributes>) =>
      route(method, path, ['view'], offered('view', show))
    add('GET', '/filter', filter('show'))
    add('GET', '/facets', facets('show'))
    add('GET', '/suggestions/:field', suggestions('show'))
    add('GET', '/explain', explain('show'))
    add('GET', '/columns', columns('show'))
    add('POST', '/columns', columns('submit'))
    add('GET', '/views/new', views('create'))
    add('POST', '/views', views('store'))
    add('GET', '/views/:view', views('edit'))
    add('POST', '/views/:view', views('update'))
    add('POST', '/views/:view/query', views('updateQuery'))
    add('GET', '/views/:view/delete', views('askToDelete'))
    add('POST', '/views/:view/delete', views('delete'))
  })
}
