import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { sendProblem } from '#base/http/send_problem'
import { toProblem } from '#base/http/to_problem'
import type { AdminSite } from '../../admin_site.js'
import { NotAllowed, PageNotFound, UndoRefused } from '../../errors.js'
import { wantsJson } from '../../http/wants_json.js'
import { refusalWords } from './refusal_words.js'

/**
 * Responds with 409 for what is not undone, with the records that are in the way.
 *
 * @throws  the error itself if it is not about the undo: refusals of permissions are handled by the site
 */
export async function answerRefusal(
  ctx: HttpContext,
  site: AdminSite,
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

/**
 * True for an error that only says that something can't be undone.
 */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof UndoRefused ||
    error instanceof NotAllowed ||
    error instanceof PageNotFound ||
    [403, 409].includes((error as { status?: number }).status ?? 500)
  )
}
