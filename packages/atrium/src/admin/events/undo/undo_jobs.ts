import type { AdminSite } from '../../admin_site.js'
import { JobKind } from '../../jobs/job_kind.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminJob from '../../models/admin_job.js'
import { JobFailure } from '../../jobs/job_errors.js'
import { hasUndonePart, revertUndo, undoInJob, eventInParts } from './undo_in_job.js'
import { undoableEventsOfJob } from './job_events.js'

/** Name of the kind */
export const UNDO_JOB = 'undo'

/**
 * The undo of an event with more records than one request may write: all of them or none. [R7]
 */
export class UndoJob extends JobKind {
  readonly name = UNDO_JOB
  readonly again = 'whole'

  constructor(private readonly site: AdminSite) {
    super()
  }

  titleOf({ payload }: AdminJob): string {
    return this.site.text(payload.redo ? 'undo.redoJob' : 'undo.job', { id: String(payload.event) })
  }

  override reverts(job: AdminJob): boolean {
    return hasUndonePart(job)
  }

  override async revert(run: JobRun): Promise<string | null> {
    return await revertUndo(this.site, run)
  }

  async perform(run: JobRun): Promise<void> {
    await undoInJob(this.site, run, run.job.payload.event, 'undo.jobRefused')
  }
}

/** Name of the kind */
export const UNDO_PARTS_JOB = 'undo-parts'

/**
 * The undo of all parts of a job, each as one event, all of it or nothing, the last part first. It stops at the
 * first part whose records have changed since. [R7, L8]
 */
export class UndoPartsJob extends JobKind {
  readonly name = UNDO_PARTS_JOB
  readonly again = 'rest'

  constructor(private readonly site: AdminSite) {
    super()
  }

  titleOf({ payload }: AdminJob): string {
    const key = payload.redo ? 'undo.parts.redoJob' : 'undo.parts.job'
    return this.site.text(key, { id: String(payload.job) })
  }

  override reverts(job: AdminJob): boolean {
    return hasUndonePart(job)
  }

  override async revert(run: JobRun): Promise<string | null> {
    return await revertUndo(this.site, run)
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const job = await run.store.find(Number(run.job.payload.job))
    if (!job) throw new JobFailure('undo.parts.gone')
    const events = await undoableEventsOfJob(this.site, job)
    const undone = await undoneBy(this.site, run.job)
    for (const event of events) {
      if (undone.has(event.id)) continue
      await undoInJob(this.site, run, event.id, 'undo.parts.refused', event === events.at(-1))
    }
    const key = run.job.payload.redo ? 'undo.redone' : 'undo.done'
    return { message: this.site.text(key, { count: run.done }) }
  }
}

/** Events that earlier runs of the job have undone, up to the last record. */
async function undoneBy(site: AdminSite, job: AdminJob): Promise<Set<number | undefined>> {
  const events = await undoableEventsOfJob(site, job)
  const undone = new Set(events.map(({ details }) => details?.undoes))
  undone.delete(eventInParts(job))
  return undone
}
