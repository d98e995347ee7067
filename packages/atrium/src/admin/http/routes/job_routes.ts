import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { controller, room } from '../../room.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readBody, readPlainBody } from '../read_body.js'
import { isImportable, importGuard, readUpload } from '../../import/import_access.js'
import type { ImportController } from '../../import/pages/import_controller.js'
import type { ModelView } from '../../model_view.js'
import { adminRoute, viewGuard } from './admin_route.js'

/**
 * Registers the pages of background jobs, which show everybody their own. [D1]
 */
export function registerJobRoutes(site: AdminSite): void {
  const jobs = controller(
    () => import('../../jobs/pages/jobs_controller.js'),
    ({ JobsController }) => new JobsController(site)
  )
  const path = '/management/jobs'
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        path,
        'management.jobs',
        jobs((page, ctx) => page.index(ctx))
      )
      adminRoute(
        site,
        'GET',
        `${path}/:id`,
        'management.job',
        jobs((page, ctx) => page.show(ctx))
      )
      adminRoute(
        site,
        'GET',
        `${path}/:id/file`,
        'management.job.file',
        jobs((page, ctx) => page.file(ctx))
      )
      adminRoute(
        site,
        'POST',
        `${path}/:id/cancel`,
        'management.job.cancel',
        jobs((page, ctx) => page.cancel(ctx))
      )
      adminRoute(
        site,
        'POST',
        `${path}/:id/again`,
        'management.job.again',
        jobs((page, ctx) => page.again(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, readPlainBody])
  site.router
    .group(() => {
      adminRoute(
        site,
        'POST',
        `${path}/:id/undo`,
        'management.job.undo',
        jobs((page, ctx) => page.undo(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, readBody])
}

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
