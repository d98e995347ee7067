import type { HttpContext } from '@adonisjs/core/http'

const JOBS = new WeakMap<HttpContext, number>()

/**
 * Id of the job that a context was made for; undefined for that of a request.
 */
export function jobOf(ctx: HttpContext): number | undefined {
  return JOBS.get(ctx)
}

/** Notes that a context was made for a job. */
export function noteJob(ctx: HttpContext, id: number): void {
  JOBS.set(ctx, id)
}
