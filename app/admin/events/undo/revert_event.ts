import { systemActor } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminJob from '../../models/admin_job.js'
import { UndoInParts } from './undo_in_parts.js'
import { unrestrictedTarget } from './undo_plan.js'

const ACTOR = systemActor('revert')

/**
 * Reverts what an unfinished job has written as one event, whatever its owner may do by now: it is all or nothing.
 *
 * @returns which records could not be reverted, in words; null if none is left
 */
export async function revertEvent(
  site: AdminSite,
  run: JobRun,
  event: number
): Promise<string | null> {
  const { count, names } = await new UndoInParts(site, run, event, {
    name: 'revert',
    counts: -1,
    leavesRecords: true,
    model: run.job.model,
    owner: { id: run.job.userId, username: run.job.username },
    begin: async () => {
      const by = { actor: ACTOR, origin: originOf(run.job, event) }
      return { by, targetOf: (name) => unrestrictedTarget(site, name) }
    },
  }).perform()
  if (count === 0) return null
  return site.text('jobs.leftRecords', {
    count,
    names: names.join(', '),
    others: count - names.length,
  })
}

function originOf({ id, origin }: AdminJob, undoes: number) {
  const { ip, requestId, sessionId, userAgent } = origin
  return { ip, requestId, userAgent, sessionId: sessionId ?? undefined, jobId: id, undoes }
}
