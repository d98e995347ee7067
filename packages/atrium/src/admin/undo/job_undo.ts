import type { HttpContext } from '@adonisjs/core/http'
import type { WithDatabase } from '../config/database_config.js'
import type { WithJobs } from '../jobs/jobs.js'
import type { JobRun } from '../jobs/job_run.js'
import AdminJob, { isUnfinished } from '../models/admin_job.js'
import { JobFailure } from '../jobs/job_errors.js'
import {
  UndoRefused,
  changedRefusal,
  changedSteps,
  clientOf,
  planStart,
  checkReferencesOf,
} from './undo_plan.js'
import { jobUrl } from '../jobs/pages/shown_job.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { hasEventLog } from '../events/database_integration.js'
import { UndoingJob, undoInJob, eventInParts, type UndoSite } from './undo_in_job.js'
import { undoableEventsOfJob, countRows } from './job_events.js'
import { refusalWords, isRefusal } from './undo_refusal.js'
import { isUndo, undoLabel, refuseLate } from './undoable_event.js'

/** Name of this kind of job, as stored */
export const UNDO_JOB = 'undo'

/** Undoes an event with more records than a single request is allowed to undo, completely or not at all. */
export class UndoJob extends UndoingJob {
  readonly name = UNDO_JOB
  readonly again = 'whole'

  titleOf({ payload }: AdminJob): string {
    return this.site.text(payload.redo ? 'undo.redoJob' : 'undo.job', { id: String(payload.event) })
  }

  async perform(run: JobRun): Promise<void> {
    await undoInJob(this.site, run, run.job.payload.event, 'undo.jobRefused')
  }
}

/** Name of this kind of job, as stored */
const UNDO_PARTS_JOB = 'undo-parts'

/**
 * Undoes all events of a job, the last one first, each as one event. An event is undone completely or not at all; the
 * job stops at the first one whose records have changed since.
 */
export class UndoPartsJob extends UndoingJob {
  readonly name = UNDO_PARTS_JOB
  readonly again = 'rest'

  titleOf({ payload }: AdminJob): string {
    const key = payload.redo ? 'undo.parts.redoJob' : 'undo.parts.job'
    return this.site.text(key, { id: String(payload.job) })
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

/** Returns the ids of the events that earlier runs of the job have undone completely. */
async function undoneBy(site: WithDatabase, job: AdminJob): Promise<Set<number | undefined>> {
  const events = await undoableEventsOfJob(site, job)
  const undone = new Set(events.map(({ details }) => details?.undoes))
  undone.delete(eventInParts(job))
  return undone
}

/** The undo of a job, for the job's page. */
interface ShownJobUndo {
  /** URL of the form; null if the undo is not offered */
  url: string | null
  /** Label of the button: *Undo* or *Redo* */
  label: string
  /** Effect of the undo, or the reason why it is not possible */
  text: string
  /** URL of the job that is undoing this one or has undone it */
  job: string | null
}

/**
 * Starts a job that undoes all events of a job.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function startJobUndo(
  site: UndoSite,
  ctx: HttpContext,
  job: AdminJob
): Promise<AdminJob> {
  const events = await undoableEvents(site, ctx, job)
  const counts = await countRows(site, events)
  const total = sumOf([...counts.values()])
  return await site.jobs.start(ctx, UNDO_PARTS_JOB, {
    payload: { job: job.id, redo: await isUndo(site, events[0]) },
    model: job.model ?? undefined,
    total,
  })
}

/**
 * Returns the undo section of a job's page.
 *
 * @returns null if the job has not ended, wrote no records, or must not be undone by the viewer
 */
export async function shownJobUndo(
  site: UndoSite,
  ctx: HttpContext,
  job: AdminJob
): Promise<ShownJobUndo | null> {
  if (isUnfinished(job)) return null
  const undoing = await undoingJob(site, job)
  if (undoing) {
    const text = site.text('undo.parts.undone')
    return { url: null, label: site.text('undo.button'), text, job: jobUrl(site, undoing) }
  }
  try {
    const events = await undoableEvents(site, ctx, job)
    const count = sumOf(events.map(({ details }) => details?.count ?? 1))
    const text = site.text('undo.parts.intro', { count, parts: events.length })
    const label = await undoLabel(site, events[0])
    return { url: `${jobUrl(site, job)}/undo`, label, text, job: null }
  } catch (error) {
    if (!isRefusal(error))
      ctx.logger.error({ err: error }, 'The undo of a job could not be planned')
    const isReported = error instanceof UndoRefused && !SILENT.includes(error.reason)
    if (!isReported) return null
    const { text } = await refusalWords(site, ctx, error)
    return { url: null, label: site.text('undo.button'), text, job: null }
  }
}

const SILENT = ['nothing', 'late']

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

/**
 * Returns the events of a job if the last one can be undone. The other events, and the remaining records of a large
 * one, are checked when the undo gets to them.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
async function undoableEvents(
  site: UndoSite,
  ctx: HttpContext,
  job: AdminJob
): Promise<AdminEventLog[]> {
  const isReady = hasEventLog(site) && !isUnfinished(job)
  const events = isReady ? await undoableEventsOfJob(site, job) : []
  if (events.length === 0 || (await undoingJob(site, job))) throw new UndoRefused('nothing')
  const [event] = events
  refuseLate(ctx, event)
  const { steps, isWhole } = await planStart(site, ctx, event)
  if (isWhole) {
    const changed = await changedSteps(steps, clientOf(steps))
    if (changed.length > 0) throw changedRefusal(changed)
  }
  await checkReferencesOf(ctx, steps)
  return events
}

/** Returns the job that is undoing another one or has undone it. */
async function undoingJob({ jobs }: WithJobs, { id }: AdminJob): Promise<AdminJob | undefined> {
  const found = await AdminJob.query({ client: jobs.store.reading() })
    .where('kind', UNDO_PARTS_JOB)
    .where('id', '>', id)
    .whereIn('state', ['queued', 'running', 'done'])
  return found.find(({ payload }) => payload.job === id)
}
