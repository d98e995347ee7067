import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { UndoRefused } from '../../errors.js'
import { jobUrl } from '../../jobs/pages/shown_job.js'
import type AdminEventLog from '../../models/admin_event_log.js'
import AdminJob, { isUnfinished } from '../../models/admin_job.js'
import { hasEventLog } from '../pages/event_access.js'
import { notAsLeft, stepsNotAsLeft } from './undo_step.js'
import { countRows, undoableEventsOfJob } from './job_events.js'
import { clientOf } from './undo_event.js'
import { refusalWords, isRefusal } from './undo_refusal.js'
import { checkReferencesOf } from './undo_offer.js'
import { isUndo, undoLabel, refuseLate } from './undoable_event.js'
import { UNDO_PARTS_JOB } from './undo_jobs.js'
import { planStart } from './undo_plan.js'

/**
 * The undo of a job as its page shows it.
 */
export interface ShownJobUndo {
  /** URL of the form; null: it is not offered */
  url: string | null
  /** Label of its button: *Undo* or *Redo* */
  label: string
  /** Its effect, or the reason why there is none */
  text: string
  /** URL of the job that undoes or has undone it */
  job: string | null
}

/**
 * Starts the undo of all parts of a job. [R7]
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
export async function startJobUndo(
  site: AdminSite,
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
 * The part of a job's page about its undo.
 *
 * @returns null for a job that wrote nothing, is not done with, or that the viewer may not undo
 */
export async function shownJobUndo(
  site: AdminSite,
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
    const isTold = error instanceof UndoRefused && !SILENT.includes(error.reason)
    if (!isTold) return null
    const { text } = await refusalWords(site, ctx, error)
    return { url: null, label: site.text('undo.button'), text, job: null }
  }
}

const SILENT = ['nothing', 'late']

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

/**
 * The events of a job, if the last one can be undone; the others, and the records of a large one, are checked in their turn.
 *
 * @throws UndoRefused
 * @throws NotAllowed
 */
async function undoableEvents(
  site: AdminSite,
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
    const changed = await stepsNotAsLeft(steps, clientOf(steps))
    if (changed.length > 0) throw notAsLeft(changed)
  }
  await checkReferencesOf(ctx, steps)
  return events
}

/** The job that undoes another one, or has done so. */
async function undoingJob({ jobs }: AdminSite, { id }: AdminJob): Promise<AdminJob | undefined> {
  const found = await AdminJob.query({ client: jobs.store.reading() })
    .where('kind', UNDO_PARTS_JOB)
    .where('id', '>', id)
    .whereIn('state', ['queued', 'running', 'done'])
  return found.find(({ payload }) => payload.job === id)
}
