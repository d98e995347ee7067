import type { HttpContext } from '@adonisjs/core/http'
import { systemActor } from '#crud'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { requestsFirst } from '#base/event_loop'
import { JobKind } from '../jobs/job_kind.js'
import type { JobRun, StepOutcome } from '../jobs/job_run.js'
import type AdminJob from '../models/admin_job.js'
import { adminActor, undoingOrigin } from '../identity/admin_actor.js'
import {
  UndoRefused,
  unrestrictedTarget,
  planUndo,
  stepsOf,
  targetOf,
  clientOf,
  changedRefusal,
  changedSteps,
  type UndoStep,
} from './undo_plan.js'
import { JobFailure } from '../jobs/job_errors.js'
import { writesInParts } from '../jobs/part_size.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { EventType } from '../events/event_integration.js'
import { UndoInParts, type StepRunner, type UndoPlan, type UndoNotes } from './undo_in_parts.js'
import { type UndoneBy, undoEvent, inOrder } from './undo_event.js'
import { refusalWords } from './undo_refusal.js'
import { undoChain, undoMessage, visibleEvent } from './undoable_event.js'
import type { WithDatabase } from '../config/database_config.js'
import type { WithJobs } from '../jobs/jobs.js'
import type { Site } from '../views/site.js'

/** The parts of the site that undo needs */
export type UndoSite = Site & WithDatabase & WithJobs

/**
 * Reverts what an unfinished job has written as one event. The current permissions of the job's owner do not matter,
 * as a job must be complete or have no effect.
 *
 * @returns message that lists the records that could not be reverted; null if all were
 */
export async function revertEvent(
  site: Site & WithDatabase,
  run: JobRun,
  event: number
): Promise<string | null> {
  const { model, userId, username } = run.job
  const by = { actor: systemActor('revert'), origin: originOf(run.job, event) }
  return await revertEventAs(site, run, event, by, { model, owner: { id: userId, username } })
}

/** Like `revertEvent`, for system actors that do not run as a job. */
export async function revertEventAs(
  site: Site & WithDatabase,
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

/**
 * Undoes an event with the permissions of the job's owner, completely or not at all. Takes one step of the job, or
 * several for models that are written in parts.
 *
 * @param refused  key of the failure text; the text receives `reason` and `id`
 * @param isLast   true if the job ends with this undo, in the same transaction
 * @throws JobFailure  if the event can't be undone
 */
export async function undoInJob(
  site: UndoSite,
  run: JobRun,
  id: unknown,
  refused: string,
  isLast = true
): Promise<void> {
  const ctx = await run.context()
  try {
    const event = await visibleEvent(site, ctx, id)
    const outcomeOf = async (count: number): Promise<StepOutcome> =>
      isLast ? { result: { message: await undoMessage(site, event, count) } } : {}
    if (writesInParts(site, event.resourceType)) {
      await undoInParts(site, run, event, ctx)
      const { undo, ...notes } = run.job.notes ?? {}
      const outcome = { ...(await outcomeOf(run.done)), notes }
      return await run.step(run.store.client(), 0, async () => outcome)
    }
    const steps = await planUndo(site, ctx, event)
    const outcome = await outcomeOf(run.done + steps.length)
    await run.step(clientOf(steps), steps.length, async (client) => {
      await undoEvent(ctx, event, steps, client)
      return outcome
    })
  } catch (error) {
    if (!(error instanceof UndoRefused)) throw error
    const { text: reason } = await refusalWords(site, ctx, error)
    throw new JobFailure(refused, { reason, id: String(id) })
  }
}

/** Returns the id of the event that a job has undone in part, if there is one. */
export function eventInParts({ notes }: AdminJob): number | undefined {
  return noted(notes)?.event
}

/** A kind of job that undoes events. If the job fails or is cancelled, an undo that it has done in part is reverted. */
export abstract class UndoingJob extends JobKind {
  constructor(protected readonly site: UndoSite) {
    super()
  }

  override reverts(job: AdminJob): boolean {
    return eventInParts(job) !== undefined
  }

  override async revert(run: JobRun): Promise<string | null> {
    const event = noted(run.job.notes)?.by.event
    const left = typeof event === 'number' ? await revertEvent(this.site, run, event) : null
    if (left !== null) return left
    /* Removes the notes, as no part of the event is undone any more and it can be undone again. */
    const { undo, revert, ...notes } = run.job.notes ?? {}
    await run.step(run.store.client(), 0, async () => ({ notes }))
    return null
  }
}

function noted(notes: AdminJob['notes']): UndoNotes | undefined {
  return (notes?.undo ?? undefined) as UndoNotes | undefined
}

async function undoInParts(
  site: Site & WithDatabase,
  run: JobRun,
  event: AdminEventLog,
  ctx: HttpContext
): Promise<void> {
  const isBegun = noted(run.job.notes)?.event === event.id
  const { root } = await undoChain(site, event)
  /*
   * The steps of an import are read in parts, as they possibly do not fit into memory. An import deletes no records, so
   * undoing the last row first is a valid order.
   */
  const isImport = root?.eventType === EventType.IMPORT
  const steps = isImport ? undefined : inOrder(await planUndo(site, ctx, event))
  if (!isBegun) await (steps ? refuseChanged(steps) : checkAll(site, run, event, ctx))
  await new UndoInParts(site, run, event.id, {
    name: 'undo',
    counts: 1,
    leavesRecords: false,
    model: event.resourceType,
    steps,
    begin: async () => {
      const own = await run.context()
      const by = { actor: adminActor(own), origin: undoingOrigin(own, event) }
      return { by, targetOf: (name) => targetOf(site, own, name) }
    },
  }).perform()
}

/**
 * Checks that no record has changed since the event. For a record that the event changed several times, only the last
 * change is compared.
 *
 * @throws UndoRefused  if a record has changed, or the event has no records
 */
async function checkAll(
  site: Site & WithDatabase,
  run: JobRun,
  event: AdminEventLog,
  ctx: HttpContext
): Promise<void> {
  const seen = new Set<string>()
  let isEmpty = true
  for await (const steps of stepsOf(site, ctx, event)) {
    isEmpty = false
    const last = steps.filter(({ resourceId, resourceType }) => {
      const id = `${resourceType}/${resourceId}`
      return !seen.has(id) && seen.add(id)
    })
    if (last.length > 0) await refuseChanged(last)
    await run.goOn()
    await requestsFirst()
  }
  if (isEmpty) throw new UndoRefused('nothing')
}

async function refuseChanged(steps: UndoStep[]): Promise<void> {
  const client = clientOf(steps)
  const changed = await changedSteps(steps, readersOf(client) ?? client)
  if (changed.length > 0) throw changedRefusal(changed)
}
