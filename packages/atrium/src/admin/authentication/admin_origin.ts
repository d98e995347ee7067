import type { HttpContext } from '@adonisjs/core/http'
import { originOf } from '#base/http/request_origin'
import type { Origin } from '#base/types'
import { jobOf } from '../jobs/job_context.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { guardOf } from './sessions/admin_guard.js'

const CONTEXTS = new WeakMap<Origin, HttpContext>()

/**
 * Network address, user agent and session of a request; for a job, of the request that started it.
 */
export function adminOrigin(ctx: HttpContext): Origin {
  const origin = {
    ...originOf(ctx),
    sessionId: guardOf(ctx).signedIn?.session.id,
    jobId: jobOf(ctx),
  }
  CONTEXTS.set(origin, ctx)
  return origin
}

/**
 * The origin of a write that takes a logged event back: what was an event of one record is one of it again. [R7]
 */
export function undoingOrigin(
  ctx: HttpContext,
  { id, resourceId, resourceType }: Pick<AdminEventLog, 'id' | 'resourceId' | 'resourceType'>
): Origin {
  const form = resourceType && resourceId ? { model: resourceType, id: resourceId } : undefined
  const origin = { ...adminOrigin(ctx), undoes: id, ...(form && { form }) }
  CONTEXTS.set(origin, ctx)
  return origin
}

/**
 * The request that an origin was made for; undefined for one of the API.
 */
export function contextOfOrigin(origin: Origin | undefined): HttpContext | undefined {
  return origin && CONTEXTS.get(origin)
}
