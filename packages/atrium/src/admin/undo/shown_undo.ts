import type { HttpContext } from '@adonisjs/core/http'
import type { GrantedOperation } from '#crud'
import { groupedNumber } from '#base/values/numbers'
import type { WithDatabase } from '../config/database_config.js'
import type { Site } from '../views/site.js'
import AdminEventLog from '../models/admin_event_log.js'
import { UndoRefused } from './errors.js'
import { inSentence } from '../text/plain_text.js'
import { changedRefusal, changedSteps, type UndoStep } from './undo_step.js'
import { clientOf, planStart, checkReferencesOf } from './undo_plan.js'
import { refusalWords, isRefusal } from './undo_refusal.js'
import { undoLabel, undoUrl } from './undoable_event.js'

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
