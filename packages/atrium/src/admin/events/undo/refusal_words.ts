import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { UndoRefused } from '../../errors.js'
import { plainText } from '../../text/plain_text.js'
import { ReadableRecords } from '../pages/readable_records.js'
import { RecordPlaces } from '../pages/record_places.js'
import { readable } from '../pages/shown_event.js'

/* Records that a refusal names in words */
const MOST_NAMED = 10

/* Records whose reach is looked at */
const MOST_LOOKED_AT = 200

export interface RefusalWords {
  text: string
  /** Records in the way that the viewer may see */
  records: Array<{ model: string; id: string }>
  /** Number of the other ones */
  others: number
}

/**
 * Says why something is not undone: with the titles of the records in the way that the viewer may see, and the
 * number of the others. [R7, U4]
 */
export async function refusalWords(
  site: AdminSite,
  ctx: HttpContext,
  { data, reason, records }: UndoRefused
): Promise<RefusalWords> {
  const text = site.text(`undo.refused.${reason}`, { ...data, count: records.length })
  if (records.length === 0) return { text, records: [], others: 0 }
  const rows = records.slice(0, MOST_LOOKED_AT).map(({ model, id, label }) => {
    const state = { newState: null, previousState: null }
    return { ...state, resourceType: model, resourceId: id, label }
  })
  const places = await RecordPlaces.find(site, ctx, rows)
  const inReach = await ReadableRecords.find(site, ctx, rows, places.views)
  const seen = rows.filter((row) => inReach.has(row))
  const named = seen.slice(0, MOST_NAMED).map((row) => {
    const title = places.of(row)?.title ?? `${row.label} ${readable(row.resourceId)}`
    return plainText(title, 120).text
  })
  const words = { names: named.join(', '), others: records.length - named.length }
  const which = named.length === 0 ? 'noneNamed' : 'named'
  return {
    text: site.text(`undo.refused.${which}`, { text, ...words }),
    records: seen.map(({ resourceType: model, resourceId: id }) => ({ model, id })),
    others: records.length - seen.length,
  }
}
