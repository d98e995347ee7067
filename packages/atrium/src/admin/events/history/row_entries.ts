import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { seenInlines } from '../../forms/inlines/inline.js'
import type { ModelView } from '../../model_view.js'
import type AdminAuditLog from '../../models/admin_audit_log.js'
import { plainText } from '../../text/plain_text.js'
import { isSuperuser } from '../pages/event_access.js'
import { undoneEvents } from '../undo/undone_by.js'
import type { EventReader } from '../pages/event_reader.js'
import { markOf, unnamedIn } from '../pages/event_words.js'
import { momentOf } from '../../time/moment.js'
import { notesOfVersion, type HistoryEntry } from './history_entry.js'
import type { ReadableHistory } from './readable_history.js'
import { isNarrowed } from './seen_names.js'

/**
 * Entries of a history for saves of the record's form that changed only rows of other models: they are not versions
 * of the record. Rows of a model of which the user does not see all are not told. [R2, R9]
 *
 * @param page  of the record's own changes; `last` is null on the last page
 */
export async function rowEntries(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  log: EventReader,
  history: ReadableHistory,
  page: { number: number; last: AdminAuditLog | null }
): Promise<HistoryEntry[]> {
  const reads = isSuperuser(ctx)
  const inlines = await seenInlines(ctx, site, view)
  const told = inlines.filter((inline) => reads || !isNarrowed(inline.view))
  if (told.length === 0) return []
  const found = await log.rowEvents(history, page)
  if (found.length === 0) return []
  const first = Math.min(...found.map(({ event }) => event.id))
  const undone = reads ? await undoneEvents(site, history, first) : new Map<number, number>()
  return found.flatMap(({ event, models }) => {
    const labels = told.filter((inline) => models.has(inline.view.name)).map(({ label }) => label)
    if (labels.length === 0) return []
    return {
      id: event.id,
      mark: markOf(site, event.eventType),
      moment: momentOf(event.timestamp),
      url: null,
      event: reads ? eventUrl(site, event.id) : null,
      undone: undoneBy(site, undone.get(event.id)),
      who: event.username ? plainText(event.username) : null,
      unnamed: unnamedIn(site, event),
      notes: notesOfVersion(site, event.details ?? {}, reads),
      changed: labels.join(', '),
      comparison: { changed: [], unchanged: [], hasAfter: true, hasBefore: true },
      single: null,
      isFolded: false,
    }
  })
}

function undoneBy(site: AdminSite, id: number | undefined): HistoryEntry['undone'] {
  return id === undefined ? null : { url: eventUrl(site, id), id: String(id) }
}

function eventUrl(site: AdminSite, id: number): string {
  return site.url(`/management/events/${id}`)
}
