import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readBody, readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'

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
