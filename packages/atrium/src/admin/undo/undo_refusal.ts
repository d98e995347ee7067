import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { sendProblem, toProblem } from '#base/http/send_problem'
import type { Site } from '../views/site.js'
import { UndoRefused } from './undo_plan.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { plainText } from '../text/plain_text.js'
import { ReadableRecords } from '../event_log/readable_records.js'
import { LoggedRecords } from '../event_log/logged_records.js'
import { readable } from '../event_log/shown_event.js'
import { wantsJson } from '../http/read_body.js'

/* Maximum number of records that a refusal lists by title */
const MOST_NAMED = 10

/* Maximum number of records whose visibility is checked */
const MOST_LOOKED_AT = 200

interface RefusalWords {
  text: string
  /** Conflicting records that the viewer can see */
  records: Array<{ model: string; id: string }>
  /** Number of further conflicting records */
  others: number
}

/**
 * Returns the reason why an event can't be undone, with the titles of the conflicting records that the viewer can see
 * and the number of further ones.
 */
export async function refusalWords(
  site: Site,
  ctx: HttpContext,
  { data, reason, records }: UndoRefused
): Promise<RefusalWords> {
  const text = site.text(`undo.refused.${reason}`, { ...data, count: records.length })
  if (records.length === 0) return { text, records: [], others: 0 }
  const rows = records.slice(0, MOST_LOOKED_AT).map(({ model, id, label }) => {
    const state = { newState: null, previousState: null }
    return { ...state, resourceType: model, resourceId: id, label }
  })
  const places = await LoggedRecords.find(site, ctx, rows)
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

/**
 * Responds with 409 and the conflicting records when an undo is refused.
 *
 * @throws  the given error if it is not about the undo; permission errors are handled by the site
 */
export async function respondWithRefusal(
  ctx: HttpContext,
  site: Site,
  error: unknown
): Promise<unknown> {
  const problem = error instanceof UndoRefused ? null : toProblem(error)
  if (problem && problem.status !== 409) throw error
  const words = error instanceof UndoRefused ? await refusalWords(site, ctx, error) : null
  const text = words?.text ?? problem!.message
  if (wantsJson(ctx)) {
    const { records = [], others = 0 } = words ?? {}
    if (records.length + others === 0) return sendProblem(ctx, new Problem(409, text))
    const about = { type: 'about:blank', title: 'Conflict', status: 409, detail: text }
    return ctx.response
      .status(409)
      .header('content-type', 'application/problem+json')
      .send({ ...about, changed: records, ...(others > 0 && { others }) })
  }
  ctx.response.status(409)
  const heading = site.text('undo.refused.heading')
  return await site.render(ctx, 'pages/error', { status: 409, heading, text, list: null })
}

/** Returns true for an error that means that an event can't be undone, as opposed to an unexpected one. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof UndoRefused ||
    error instanceof NotAllowed ||
    error instanceof PageNotFound ||
    [403, 409].includes((error as { status?: number }).status ?? 500)
  )
}
