import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { SessionRest } from '../admin_authentication.js'
import { guardOf } from './admin_guard.js'

/**
 * Answers how long the session of the request lasts. As any request, it is activity that renews the session;
 * with `?poll` it only asks. [R10]
 */
export class SessionRestController {
  constructor(private readonly site: AdminSite) {}

  show(ctx: HttpContext): SessionRest {
    ctx.response.header('cache-control', 'no-store')
    return this.site.adminAuthentication.remaining(ctx, guardOf(ctx).signedInOrFail())
  }
}
