import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { isImportable } from '../../import/may_import.js'
import type { ImportController } from '../../import/pages/import_controller.js'
import { importGuard, readUpload } from '../../import/pages/read_upload.js'
import type { ModelView } from '../../model_view.js'
import { room } from '../../room.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'
import { viewGuard } from './view_guard.js'

const importPages = room(
  () => import('../../import/pages/import_controller.js'),
  (module) => module
)

type Show = (pages: ImportController, ctx: HttpContext) => unknown

/**
 * Registers the import of a model, where it has records that can be written. [D3]
 */
export function registerImportRoutes(site: AdminSite, view: ModelView): void {
  if (!isImportable(view)) return
  const route = (method: 'GET' | 'POST', path: string, show: Show) =>
    adminRoute(
      site,
      method,
      `/${view.name}/import${path}`,
      `${view.name}:${method} /import${path}`,
      async (ctx) => {
        const { ImportController: Pages } = await importPages()
        return await show(new Pages(site, await view.for(ctx)), ctx)
      }
    )
  const guards = [siteMiddleware, signInGuard, viewGuard(view), importGuard(view)]
  site.router
    .group(() => route('POST', '', (pages, ctx) => pages.upload(ctx)))
    .use([...guards, readUpload])
  site.router
    .group(() => {
      route('GET', '', (pages, ctx) => pages.begin(ctx))
      route('GET', '/template', (pages, ctx) => pages.template(ctx))
      route('GET', '/:import', (pages, ctx) => pages.show(ctx))
      route('GET', '/:import/faulty', (pages, ctx) => pages.faulty(ctx))
      route('POST', '/:import/columns', (pages, ctx) => pages.columns(ctx))
      route('POST', '/:import/reread', (pages, ctx) => pages.reread(ctx))
      route('POST', '/:import/run', (pages, ctx) => pages.run(ctx))
      route('GET', '/:import/discard', (pages, ctx) => pages.askDiscard(ctx))
      route('POST', '/:import/discard', (pages, ctx) => pages.discard(ctx))
    })
    .use([...guards, readBody])
}
