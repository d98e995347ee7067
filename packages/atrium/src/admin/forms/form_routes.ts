import { logged, modelPage, offered, type ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'
import type { FormSite } from './form_page.js'
import type { RoutedSite } from '../http/site_routes.js'
import type { WithDatabase } from '../config/database_config.js'
import type { WithUserAttributes } from '../config/user_attributes.js'

const create = modelPage(
  () => import('./create_controller.js'),
  ({ CreateController }) => CreateController
)
const update = modelPage(
  () => import('./update_controller.js'),
  ({ UpdateController }) => UpdateController
)
const files = modelPage(
  () => import('./files/files_controller.js'),
  ({ FilesController }) => FilesController
)
const uploads = modelPage(
  () => import('./files/files_controller.js'),
  ({ UploadController }) => UploadController
)
const choices = modelPage(
  () => import('./fields/field_controllers.js'),
  ({ ChoicesController }) => ChoicesController
)
const preview = modelPage(
  () => import('./fields/field_controllers.js'),
  ({ PreviewController }) => PreviewController
)

/** Registers the forms of a model, the endpoints of their fields, and the files of records. */
export function formRoutes(
  routes: ModelRoutes<FormSite & WithDatabase & WithUserAttributes & RoutedSite>
): void {
  const { view } = routes
  const byKey = view.resource.key.pattern
  routes.group([readBody], (route) => {
    if (view.allowedActions.has('view')) {
      route('GET', '/filter/choices/:field', ['view'], offered('view', choices('forFilter')))
      route('GET', '/files/:file', ['view'], offered('view', files('show')))
    }
    if (view.allowedActions.has('create')) {
      route('GET', '/create_page', ['create'], offered('create', create('page')))
      route('POST', '/form_create', ['create'], create('submit'))
    }
    if (view.allowedActions.has('update')) {
      route('GET', `/update${byKey}`, ['update'], logged('update', update('page')))
      route('POST', `/form_update${byKey}`, ['update'], update('submit'))
      route('POST', '/form_update', ['update'], update('withoutId'))
    }
    if (view.may('create') || view.may('update')) {
      route('GET', '/choices/:field', ['create', 'update'], choices('show'))
      route('POST', '/uploads/:field', ['create', 'update'], uploads('store'))
      route('POST', '/preview/:field', ['create', 'update'], preview('show'))
    }
  })
}
