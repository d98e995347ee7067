import type { HttpContext } from '@adonisjs/core/http'

const JOBS = new WeakMap<HttpContext, number>()

/** Returns the id of the job that a context was created for; undefined for the context of a request. */
export function jobOf(ctx: HttpContext): number | undefined {
  return JOBS.get(ctx)
}

/** Records the job that a context was created for. */
export function noteJob(ctx: HttpContext, id: number): void {
  JOBS.set(ctx, id)
}
