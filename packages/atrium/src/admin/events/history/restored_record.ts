import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { UndoRefused } from '../../errors.js'
import type { ModelView } from '../../model_view.js'
import { may } from '../../permissions/may.js'
import { recordUrl } from '../../record/record_links.js'
import type { EventReader } from '../pages/event_reader.js'
import { shownUndo, type ShownUndo } from '../undo/undo_offer.js'
import { isOwn, mayRevert, refuseLate } from '../undo/undoable_event.js'
import { remakeUrl } from '../../forms/prefill/prefill_urls.js'
import type { ReadableHistory } from './readable_history.js'
import type { Version } from './version.js'

/**
 * The ways in which a record that was deleted for good can come back. [R8]
 */
export interface Comeback {
  /** With its key, and what was deleted with it; null where the user may not undo the deletion */
  undo: ShownUndo | null
  /** The page that the undo leads to */
  next: string
  /** URL of the form of a new record with its values; null where the user may not make one */
  remake: string | null
}

/**
 * @param version  whose values the new record gets; default: the last one
 * @returns null if there is no way for the user
 */
export async function comebackOf(
  ctx: HttpContext,
  site: AdminSite,
  log: EventReader,
  view: ModelView,
  history: ReadableHistory,
  version?: Version
): Promise<Comeback | null> {
  const { key } = history
  const last = await log.lastChange(history)
  if (!last || view.adminModel) return null
  const undo = last.newState === null ? await undoOf(ctx, site, log, last.eventId) : null
  const event = version?.row.eventId ?? last.eventId
  const remake = (await may(ctx, view, 'create')) ? remakeUrl(view, key, event) : null
  return undo || remake ? { undo, next: recordUrl(view, key), remake } : null
}

/** Superusers undo any event, others what is not long ago and whose opposite they may do. [R7] */
async function undoOf(ctx: HttpContext, site: AdminSite, log: EventReader, id: number) {
  const event = await log.find(id)
  if (!event || !(isOwn(ctx, event) || (await mayRevert(site, ctx, event)))) return null
  try {
    refuseLate(ctx, event)
  } catch (error) {
    if (error instanceof UndoRefused) return null
    throw error
  }
  return await shownUndo(site, ctx, event)
}
