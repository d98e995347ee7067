import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { PageNotFound, WithheldPage } from '../http/errors.js'
import {
  UndoRefused,
  MOST_ON_PAGE,
  planStart,
  checkReferencesOf,
  changedRefusal,
  changedSteps,
  type UndoStep,
  clientOf,
} from './undo_plan.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import AdminEventLog from '../models/admin_event_log.js'
import { hasEventLog } from '../events/database_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { ReadableRecords } from '../event_log/readable_records.js'
import { LoggedRecords } from '../event_log/logged_records.js'
import { isRefusal, refusalWords } from './undo_refusal.js'
import { rowId } from '../views/record_items.js'
import type { FlashUndo } from '../http/flash.js'
import { loggedInRequest } from '../events/request_event.js'
import type { GrantedOperation } from '#crud'
import { groupedNumber } from '#base/values/numbers'
import { inSentence } from '../text/plain_text.js'

/* Period in which users can undo their own actions; users who can read the log can undo them at any time. */
const MINUTES = 10

/**
 * Returns an event that the signed-in user can see: any event for users who can read the log; otherwise the user's
 * own events, and events of others that the user is allowed to undo on every record.
 *
 * @throws PageNotFound
 */
export async function visibleEvent(
  site: Site & WithDatabase,
  ctx: HttpContext,
  param: unknown
): Promise<AdminEventLog> {
  const id = rowId(param)
  if (!hasEventLog(site) || id === null) throw new PageNotFound()
  const client = site.dbConfig.readingSession()
  const event = await AdminEventLog.query({ client }).where('id', id).first()
  if (!event) throw new PageNotFound()
  if (isOwn(ctx, event) || (await mayRevert(site, ctx, event))) return event
  throw new WithheldPage()
}

/** Returns true for an event of the signed-in user, and for every event if the user can read the log. */
export function isOwn(ctx: HttpContext, { userId }: AdminEventLog): boolean {
  return isSuperuser(ctx) || userId === guardOf(ctx).signedInOrFail().owner.id
}

/**
 * Returns true if the signed-in user is allowed to undo the event and can see its records. Only the first records are
 * checked; the undo checks the fields and values of each.
 */
export async function mayRevert(
  site: Site & WithDatabase,
  ctx: HttpContext,
  event: AdminEventLog
): Promise<boolean> {
  try {
    await planStart(site, ctx, event)
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
  const rows = await AdminAuditLog.query({ client: site.dbConfig.readingSession() })
    .select('resourceType', 'resourceId', 'newState', 'previousState')
    .where('eventId', event.id)
    .orderBy('id')
    .limit(MOST_ON_PAGE)
  const { views } = await LoggedRecords.find(site, ctx, rows)
  const readable = await ReadableRecords.find(site, ctx, rows, views)
  return rows.every((row) => readable.has(row))
}

/**
 * Checks that the event is recent enough to be undone.
 *
 * @throws UndoRefused  for an event older than ten minutes, unless the user can read the log
 */
export function refuseLate(ctx: HttpContext, { timestamp }: AdminEventLog): void {
  const isLate = timestamp < DateTime.utc().minus({ minutes: MINUTES })
  if (isLate && !isSuperuser(ctx)) throw new UndoRefused('late', { minutes: MINUTES })
}

/**
 * Follows a chain of undos of undos back to the original event. Returns that event, null if the log no longer contains
 * it, and the number of undos.
 */
export async function undoChain(
  { dbConfig }: WithDatabase,
  event: AdminEventLog
): Promise<{ root: AdminEventLog | null; undos: number }> {
  const client = dbConfig.readingSession()
  let root: AdminEventLog | null = event
  let undos = 0
  for (; root?.details?.undoes; undos++) {
    root = await AdminEventLog.query({ client }).where('id', root.details.undoes).first()
  }
  return { root, undos }
}

/** Returns true if the event is the undo of an original event, or of a redo, so that undoing it means *Redo*. */
export async function isUndo(site: WithDatabase, event: AdminEventLog): Promise<boolean> {
  const { undos } = await undoChain(site, event)
  return undos % 2 === 1
}

/** Returns the label of the button that undoes an event: *Undo* or *Redo*. */
export async function undoLabel(
  site: Pick<Site, 'text'> & WithDatabase,
  event: AdminEventLog
): Promise<string> {
  return site.text((await isUndo(site, event)) ? 'undo.redo' : 'undo.button')
}

/** Returns the success message of an undo or redo. */
export async function undoMessage(
  site: Pick<Site, 'text'> & WithDatabase,
  event: AdminEventLog,
  count: number
): Promise<string> {
  return site.text((await isUndo(site, event)) ? 'undo.redone' : 'undo.done', { count })
}

/**
 * Returns the undo link for the message of the request that wrote something, if the user is allowed to undo it.
 */
export async function offerUndo(
  site: Site & WithDatabase,
  ctx: HttpContext
): Promise<FlashUndo | undefined> {
  try {
    const ids = await loggedInRequest(ctx)
    /* Several events can't be undone in one request. */
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

function undoUrl(site: Site, { id }: AdminEventLog): string {
  return site.url(`/management/events/${id}/undo`)
}

type Subject = Pick<AdminEventLog, 'resourceType' | 'resourceId'>

/**
 * Returns the undone events of the given model and record; a key of null stands for the events of several records. An
 * event whose undo was undone as well is not included.
 *
 * @param from  only undos with a greater event id are considered
 * @returns id of the undoing event, by id of the undone event
 */
export async function undoneEvents(
  { dbConfig }: WithDatabase,
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
  /* The newest first: an undo that was itself undone has no effect. */
  for (const { id, details } of await query.orderBy('id', 'desc')) {
    const undoes = details?.undoes
    if (undoes === undefined || undone.has(id)) continue
    if (!undone.has(undoes)) undone.set(undoes, id)
  }
  return undone
}

/** The undo of an event, for the event's page. */
export interface ShownUndo {
  /** URL of the form; null if the event can't be undone */
  url: string | null
  /** Label of the button: *Undo* or *Redo* */
  label: string
  /** Effects of the undo by model, or the reason why the event can't be undone */
  lines: string[]
}

/** Returns the undo section of an event's page; null for an event that wrote no records. */
export async function shownUndo(
  site: Site & WithDatabase,
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
 * Returns the effects of the undo in words, by model and operation.
 *
 * @param large  the event, if `steps` contains only the first of its records
 */
function linesOf(site: Site, steps: readonly UndoStep[], large: AdminEventLog | null): string[] {
  if (large) return [site.text('undo.does.many', { count: large.details?.count ?? steps.length })]
  const groups = Map.groupBy(steps, ({ operation, target }) => `${target.name} ${operation}`)
  return [...groups.values()].map((some) => {
    const [step] = some
    const count = some.length
    const { view, name } = step.target
    const records = site.text('bulk.records', {
      count,
      shown: groupedNumber(count),
      singular: inSentence(view?.singular ?? name),
      plural: inSentence(view?.label ?? name),
    })
    return site.text(`undo.does.${wordOf(step)}`, { records })
  })
}

/**
 * Returns the operation for the text of a step. Removing a record reverts its creation; deleting it again reverts a
 * restore.
 */
function wordOf({ operation, reversal }: UndoStep): GrantedOperation | 'remove' {
  return reversal.before === null && reversal.left !== null ? 'remove' : operation
}
