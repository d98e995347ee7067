import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { SignedIn } from '../authentication/admin_authentication.js'
import { Owner } from '../authentication/sessions/owned_row.js'
import { JobOwnerGone } from './job_errors.js'
import { madeContext } from '../authentication/operator.js'
import type AdminJob from '../models/admin_job.js'
import AdminUser from '../models/admin_user.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

const JOBS = new WeakMap<HttpContext, number>()

/**
 * Id of the job that a context was made for; undefined for that of a request.
 */
export function jobOf(ctx: HttpContext): number | undefined {
  return JOBS.get(ctx)
}

/**
 * A context for a job, which repeats the request that started it: its address, user agent and session,
 * with the job's owner signed in as they are now. All that asks a context who someone is and what they
 * may do decides as it does for a request. [D1, U4]
 *
 * @throws JobOwnerGone
 */
export async function contextOf(job: AdminJob): Promise<HttpContext> {
  const { origin } = job
  const owner = await ownerOf(job)
  const ctx = await madeContext({
    ip: origin.ip,
    headers: {
      'x-request-id': origin.requestId,
      ...(origin.userAgent !== null && { 'user-agent': origin.userAgent }),
    },
  })
  const guard = guardOf(ctx)
  const { actsAs } = origin
  const session = { id: origin.sessionId ?? undefined, sessionMetadata: { tokens: {}, actsAs } }
  guard.signedIn = { owner, acting: actsAs?.by, session } as unknown as SignedIn
  JOBS.set(ctx, job.id)
  return ctx
}

async function ownerOf({ userId }: AdminJob): Promise<Owner> {
  const client = db.connection(AdminUser.connection)
  const row = await client.from(AdminUser.table).where('id', userId).first()
  if (!row) throw new JobOwnerGone()
  return Owner.ofRow(row)
}
