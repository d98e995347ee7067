import type { HttpContext } from '@adonisjs/core/http'
import type { ModelRoutes } from '../http/model_routes.js'
import { readBody } from '../http/read_body.js'
import { handleBy, lazyPart, type HandlerName } from '../http/lazy_part.js'
import { importGuard, isImportable, readUpload } from './import_access.js'
import type { ImportController } from './pages/import_controller.js'
import type { ImportSite } from './dry_run.js'
import type { RoutedSite } from '../http/site_routes.js'
import type { WithTimeZone } from '../time/time_zone.js'

const pages = lazyPart(
  () => import('./pages/import_controller.js'),
  (module) => module
)

/** Registers the import of a model, if records of the model can be imported. */
export function importRoutes(routes: ModelRoutes<ImportSite & WithTimeZone & RoutedSite>): void {
  const { site, view } = routes
  if (!isImportable(view)) return
  const page = (name: HandlerName<ImportController>) => async (ctx: HttpContext) => {
    const { ImportController: Pages } = await pages()
    return await handleBy(new Pages(site, await view.for(ctx)), name, ctx)
  }
  const guard = importGuard(view)
  routes.unchecked([guard, readUpload], (route) => route('POST', '/import', page('upload')))
  routes.unchecked([guard, readBody], (route) => {
    route('GET', '/import', page('begin'))
    route('GET', '/import/template', page('template'))
    route('GET', '/import/:import', page('show'))
    route('GET', '/import/:import/faulty', page('invalidRows'))
    route('POST', '/import/:import/columns', page('columns'))
    route('POST', '/import/:import/reread', page('reread'))
    route('POST', '/import/:import/corrections', page('correct'))
    route('POST', '/import/:import/run', page('run'))
    route('GET', '/import/:import/discard', page('askDiscard'))
    route('POST', '/import/:import/discard', page('discard'))
  })
}
