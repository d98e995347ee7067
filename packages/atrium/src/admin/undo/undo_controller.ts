import type { HttpContext } from '@adonisjs/core/http'
import { toProblem } from '#base/http/send_problem'
import type { UndoSite } from './undo_in_job.js'
import { NotAllowed, WithheldPage } from '../http/errors.js'
import { sentTexts } from '../http/form_texts.js'
import { wantsJson } from '../http/read_body.js'
import { returnPath } from '../http/site_paths.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { loggedInRequest } from '../events/request_event.js'
import { isUndo, undoMessage, isOwn, refuseLate, visibleEvent } from './undoable_event.js'
import { undoEvent } from './undo_event.js'
import { UNDO_JOB } from './job_undo.js'
import { respondWithRefusal } from './undo_refusal.js'
import { planUndo, type UndoStep } from './undo_plan.js'
import { redirectWithMessage } from '../http/redirect.js'
import { respondWithJob } from '../jobs/pages/shown_job.js'

/* With more records, the undo runs as a job. */
const MOST_IN_REQUEST = 1000

/** Handles the undo of an event, from a form (redirects back to its page) or an API client. */
export class UndoController {
  constructor(private readonly site: UndoSite) {}

  async undo(ctx: HttpContext): Promise<unknown> {
    const event = await visibleEvent(this.site, ctx, ctx.params.id)
    try {
      refuseLate(ctx, event)
      const total = await this.#countOf(event)
      if (total > MOST_IN_REQUEST) return await this.#startJob(ctx, event, total)
      const steps = await planUndo(this.site, ctx, event)
      await undoEvent(ctx, event, steps)
      return await this.#response(ctx, event, steps)
    } catch (error) {
      /* Users who cannot undo another user's event must not learn that the event exists. */
      const isRefused = error instanceof NotAllowed || toProblem(error)?.status === 403
      if (isRefused && !isOwn(ctx, event)) throw new WithheldPage()
      return await respondWithRefusal(ctx, this.site, error)
    }
  }

  async #countOf(event: AdminEventLog): Promise<number> {
    const client = this.site.dbConfig.readingSession()
    const [found] = await client
      .from(AdminAuditLog.table)
      .where('event_id', event.id)
      .count('* as total')
    return Number(found.total)
  }

  async #startJob(ctx: HttpContext, event: AdminEventLog, total: number) {
    const payload = { event: event.id, redo: await isUndo(this.site, event) }
    const model = event.resourceType ?? undefined
    const job = await this.site.jobs.start(ctx, UNDO_JOB, { payload, model, total })
    respondWithJob(ctx, this.site, job)
  }

  async #response(ctx: HttpContext, undone: AdminEventLog, steps: readonly UndoStep[]) {
    if (wantsJson(ctx)) {
      const [event = null] = await loggedInRequest(ctx)
      return ctx.response.send({ event })
    }
    const text = await undoMessage(this.site, undone, steps.length)
    await redirectWithMessage(ctx, this.#nextOf(ctx, steps), { kind: 'success', text })
  }

  /**
   * Returns the URL to redirect to. If the undo deleted the record of that page, this is the list of the model
   * instead.
   */
  #nextOf(ctx: HttpContext, steps: readonly UndoStep[]): string {
    const next = returnPath(this.site, sentTexts(ctx).get('next')?.at(-1))
    const gone = steps.filter(
      ({ operation }) => operation === 'delete' || operation === 'db_delete'
    )
    for (const { key, target } of gone) {
      const { resource, view } = target
      const path = next?.split('?', 1)[0]
      if (view && path?.endsWith(resource.key.toPath(key)) && path.startsWith(view.url('/'))) {
        return view.url('/')
      }
    }
    return next ?? steps[0].target.view?.url('/') ?? this.site.url('/')
  }
}
