import type { AdminSite } from '../../admin_site.js'
import { JobsController } from '../../jobs/pages/jobs_controller.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readBody, readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'

/**
 * Registers the pages of background jobs, which show everybody their own. [D1]
 */
export function registerJobRoutes(site: AdminSite): void {
  const jobs = new JobsController(site)
  const path = '/management/jobs'
  site.router
    .group(() => {
      adminRoute(site, 'GET', path, 'management.jobs', (ctx) => jobs.index(ctx))
      adminRoute(site, 'GET', `${path}/:id`, 'management.job', (ctx) => jobs.show(ctx))
      adminRoute(site, 'GET', `${path}/:id/file`, 'management.job.file', (ctx) => jobs.file(ctx))
      adminRoute(site, 'POST', `${path}/:id/cancel`, 'management.job.cancel', (ctx) =>
        jobs.cancel(ctx)
      )
      adminRoute(site, 'POST', `${path}/:id/again`, 'management.job.again', (ctx) =>
        jobs.again(ctx)
      )
    })
    .use([siteMiddleware, signInGuard, readPlainBody])
  site.router
    .group(() => {
      adminRoute(site, 'POST', `${path}/:id/undo`, 'management.job.undo', (ctx) => jobs.undo(ctx))
    })
    .use([siteMiddleware, signInGuard, readBody])
}
