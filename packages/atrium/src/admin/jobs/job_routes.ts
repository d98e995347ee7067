import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readBody, readPlainBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the pages of background jobs. Users see their own jobs. */
export function jobRoutes(site: AdminSite): void {
  const jobs = controller(
    () => import('./pages/jobs_controller.js'),
    ({ JobsController }) => new JobsController(site)
  )
  const path = '/management/jobs'
  siteRoutes(site, [signInGuard, readPlainBody], ({ get, post }) => {
    get(path, 'management.jobs', jobs('index'))
    get(`${path}/:id`, 'management.job', jobs('show'))
    get(`${path}/:id/file`, 'management.job.file', jobs('file'))
    post(`${path}/:id/cancel`, 'management.job.cancel', jobs('cancel'))
    post(`${path}/:id/again`, 'management.job.again', jobs('again'))
  })
  siteRoutes(site, [signInGuard, readBody], ({ post }) => {
    post(`${path}/:id/undo`, 'management.job.undo', jobs('undo'))
  })
}
