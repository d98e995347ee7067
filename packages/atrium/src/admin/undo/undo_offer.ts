import type { HttpContext } from '@adonisjs/core/http'
import type { GrantedOperation } from '#crud'
import { checkReverted } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import AdminEventLog from '../models/admin_event_log.js'
import { adminActor } from '../identity/admin_actor.js'
import { UndoRefused } from './errors.js'
import type { FlashUndo } from '../http/flash.js'
import { inSentence } from '../text/plain_text.js'
import { loggedInRequest } from '../events/request_event.js'
import { changedRefusal, changedSteps, type UndoStep } from './undo_step.js'
import { clientOf } from './undo_event.js'
import { refusalWords, isRefusal } from './undo_refusal.js'
import { undoLabel, visibleEvent } from './undoable_event.js'
import { planStart } from './undo_plan.js'

type Subject = Pick<AdminEventLog, 'resourceType' | 'resourceId'>

/**
 * The events on a record, or on the records of a model, that were undone. One whose undo was undone in its turn is
 * not among them. [R7]
 *
 * @param from  id of the first event that is looked at
 * @returns the id of the event that undid each
 */
export async function undoneEvents(
  { dbConfig }: Pick<AdminSite, 'dbConfig'>,
  { resourceType, resourceId }: Subject,
  from: number
): Promise<Map<number, number>> {
  const query = AdminEventLog.query({ client: dbConfig.readingSession() })
    .select('id', 'details')
    .where('id', '>', from)
    .where('status', 'success')
    .where('details', 'like', '%"undoes":%')
  if (resourceType === null) query.whereNull('resourceType')
  else query.where('resourceType', resourceType)
  if (resourceId === null) query.whereNull('resourceId')
  else query.where('resourceId', resourceId)

  const undone = new Map<number, number>()
  /* The last one first: an undo that was undone takes nothing back. */
  for (const { id, details } of await query.orderBy('id', 'desc')) {
    const undoes = details?.undoes
    if (undoes === undefined || undone.has(id)) continue
    if (!undone.has(undoes)) undone.set(undoes, id)
  }
  return undone
}

/* References of more are looked at when it is done. */
const MOST_REFERRING = 50

/**
 * The undo as the event's page shows it.
 */
export interface ShownUndo {
  /** URL of the form; null: it can't be undone */
  url: string | null
  /** Label of its button: *Undo* or *Redo* */
  label: string
  /** Its effects by model, or the reason why it can't be undone */
  lines: string[]
}

/**
 * *Undo* for the message of the request that wrote something, for users who can do the opposite. [R7]
 */
export async function offerUndo(site: AdminSite, ctx: HttpContext): Promise<FlashUndo | undefined> {
  try {
    const ids = await loggedInRequest(ctx)
    /* Several can't be reverted in one request. */
    if (ids.length !== 1) return undefined
    const event = await visibleEvent(site, ctx, ids[0])
    const { steps } = await planStart(site, ctx, event)
    await checkReferencesOf(ctx, steps)
    return { url: undoUrl(site, event), label: await undoLabel(site, event) }
  } catch (error) {
    if (!isRefusal(error)) ctx.logger.error({ err: error }, 'An undo could not be offered')
    return undefined
  }
}

/**
 * The part of an event's page about its undo; null for an event that wrote nothing.
 */
export async function shownUndo(
  site: AdminSite,
  ctx: HttpContext,
  event: AdminEventLog
): Promise<ShownUndo | null> {
  const label = await undoLabel(site, event)
  try {
    const { steps, isWhole } = await planStart(site, ctx, event)
    const undone = await undoneEvents(site, event, event.id)
    const by = undone.get(event.id)
    if (by !== undefined) throw new UndoRefused('undone', { id: String(by) })
    if (isWhole) {
      const changed = await changedSteps(steps, clientOf(steps))
      if (changed.length > 0) throw changedRefusal(changed)
    }
    await checkReferencesOf(ctx, steps)
    return { url: undoUrl(site, event), label, lines: linesOf(site, steps, isWhole ? null : event) }
  } catch (error) {
    if (error instanceof UndoRefused) {
      if (error.reason === 'nothing') return null
      const { text } = await refusalWords(site, ctx, error)
      return { url: null, label, lines: [text] }
    }
    if (!isRefusal(error)) ctx.logger.error({ err: error }, 'An undo could not be planned')
    return { url: null, label, lines: [site.text('undo.refused.notAllowed')] }
  }
}

/**
 * Checks that nothing would be put back that refers to records out of the viewer's sight, which an undo refuses.
 *
 * @throws Problem 409
 */
export async function checkReferencesOf(
  ctx: HttpContext,
  steps: readonly UndoStep[]
): Promise<void> {
  for (const { operation, reversal, target } of steps.slice(0, MOST_REFERRING)) {
    if (operation === 'db_delete') continue
    const { resource, view } = target
    const options = view?.callOptions(ctx) ?? { actor: adminActor(ctx) }
    await checkReverted(resource, reversal, clientOf(steps), options)
  }
}

function undoUrl(site: AdminSite, { id }: AdminEventLog): string {
  return site.url(`/management/events/${id}/undo`)
}

/** @param large  the event, if these are only the first of its steps */
function linesOf(
  site: AdminSite,
  steps: readonly UndoStep[],
  large: AdminEventLog | null
): string[] {
  if (large) return [site.text('undo.does.many', { count: large.details?.count ?? steps.length })]
  const groups = Map.groupBy(steps, ({ operation, target }) => `${target.name} ${operation}`)
  return [...groups.values()].map((some) => {
    const [step] = some
    const count = some.length
    const { view, name } = step.target
    const records = site.text('bulk.records', {
      count,
      shown: count.toLocaleString('en'),
      singular: inSentence(view?.singular ?? name),
      plural: inSentence(view?.label ?? name),
    })
    return site.text(`undo.does.${wordOf(step)}`, { records })
  })
}

/** A record that is removed was created by the event; one that is deleted again was restored. */
function wordOf({ operation, reversal }: UndoStep): GrantedOperation | 'remove' {
  return reversal.before === null && reversal.left !== null ? 'remove' : operation
}
