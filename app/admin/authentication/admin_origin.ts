import type { HttpContext } from '@adonisjs/core/http'
import { originOf, type Origin } from '#crud/internals'
import { jobOf } from '../jobs/job_context.js'

/**
 * Network address, user agent and session of a request; for a job, of the request that started it.
 */
export function adminOrigin(ctx: HttpContext): Origin {
  return {
    ...originOf(ctx),
    sessionId: ctx.auth.use('admin').signedIn?.session.id,
    jobId: jobOf(ctx),
  }
}
