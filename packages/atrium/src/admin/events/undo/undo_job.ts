import type { AdminSite } from '../../admin_site.js'
import { JobKind } from '../../jobs/job_kind.js'
import type { JobRun } from '../../jobs/job_run.js'
import type AdminJob from '../../models/admin_job.js'
import { hasUndonePart, revertUndo, undoInJob } from './undo_in_job.js'

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
