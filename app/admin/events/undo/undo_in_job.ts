import type { AdminSite } from '../../admin_site.js'
import { JobFailure, UndoRefused } from '../../errors.js'
import type { JobRun } from '../../jobs/job_run.js'
import { refusalWords } from './refusal_words.js'
import { clientOf, undoEvent } from './undo_event.js'
import { planUndo } from './undo_plan.js'
import { visibleEvent } from './undoable_event.js'

/**
 * Undoes an event as one step of a job, with the rights of the job's owner.
 *
 * @param refused  text of the failure, which gets `reason` and `id`
 * @returns how many records were undone
 * @throws JobFailure  if the event can't be undone
 */
export async function undoInJob(
  site: AdminSite,
  run: JobRun,
  id: unknown,
  refused: string
): Promise<number> {
  const ctx = await run.context()
  try {
    const event = await visibleEvent(site, ctx, id)
    const steps = await planUndo(site, ctx, event)
    await run.step(clientOf(steps), steps.length, async (client) => {
      await undoEvent(ctx, event, steps, client)
    })
    return steps.length
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error
    const { text: reason } = await refusalWords(site, ctx, error)
    throw new JobFailure(refused, { reason, id: String(id) })
  }
}
