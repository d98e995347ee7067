import { systemActor } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminJob from '../../models/admin_job.js'
import { UndoInParts, type StepRunner, type UndoPlan } from './undo_in_parts.js'
import { unrestrictedTarget } from './undo_plan.js'
import type { UndoneBy } from './undo_event.js'

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
  const { model, userId, username } = run.job
  const by = { actor: systemActor('revert'), origin: originOf(run.job, event) }
  return await revertEventAs(site, run, event, by, { model, owner: { id: userId, username } })
}

/**
 * The same for work of a system actor that is not a job.
 */
export async function revertEventAs(
  site: AdminSite,
  run: StepRunner,
  event: number,
  by: UndoneBy,
  of: Pick<UndoPlan, 'model' | 'owner'>
): Promise<string | null> {
  const { count, names } = await new UndoInParts(site, run, event, {
    ...of,
    name: 'revert',
    counts: -1,
    leavesRecords: true,
    begin: async () => ({ by, targetOf: (name) => unrestrictedTarget(site, name) }),
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
