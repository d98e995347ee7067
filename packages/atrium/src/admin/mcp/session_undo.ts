import type { HttpContext } from '@adonisjs/core/http'
import { EventType } from '../events/event_integration.js'
import { hasEventLog } from '../events/database_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { PageNotFound } from '../http/errors.js'
import { redirectWithMessage } from '../http/redirect.js'
import { rowId } from '../views/record_items.js'
import { requireProof } from '../identity/proof.js'
import type { JobRun } from '../jobs/job_run.js'
import { respondWithJob } from '../jobs/pages/shown_job.js'
import AdminAccessToken from '../models/admin_access_token.js'
import type AdminJob from '../models/admin_job.js'
import { countRows } from '../undo/job_events.js'
import { UndoingJob, undoInJob } from '../undo/undo_in_job.js'
import { eventsOfSession, WriteBudget } from '../authentication/access_tokens/mcp_sessions.js'
import type { UndoSite } from '../undo/undo_in_job.js'
import type { WithAccessTokens } from '../authentication/access_tokens/access_tokens.js'
import type { WithMcp } from '../config/mcp_config.js'
import type { Site } from '../views/site.js'

/** Name of this kind of job, as stored */
const UNDO_SESSION = 'undo-session'

/** Undoes all events of an MCP session, the last one first. */
export class UndoSessionJob extends UndoingJob {
  readonly name = UNDO_SESSION
  readonly again = 'rest'

  titleOf({ payload }: AdminJob): string {
    return this.site.text('mcp.undo.job', { token: String(payload.token) })
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    /* Reverted events are left out, so an interrupted job continues with the rest. */
    const events = await eventsOfSession(this.site, String(run.job.payload.session))
    for (const event of events) {
      const isLast = event === events.at(-1)
      await undoInJob(this.site, run, event.id, 'undo.parts.refused', isLast)
    }
    return { message: this.site.text('undo.done', { count: run.done }) }
  }
}

/** Starts the undo of an MCP session, by its owner or by a user who can read the log. */
export class SessionUndoController {
  constructor(private readonly site: UndoSite) {}

  async undo(ctx: HttpContext): Promise<void> {
    const { owner } = guardOf(ctx).signedInOrFail()
    const name = String(ctx.params.name)
    const userId = isSuperuser(ctx) ? undefined : owner.id
    const events = hasEventLog(this.site) ? await eventsOfSession(this.site, name, userId) : []
    if (events.length === 0) throw new PageNotFound()
    const counts = await countRows(this.site, events)
    const total = [...counts.values()].reduce((sum, one) => sum + one, 0)
    const payload = { session: name, token: events[0].details?.token_name ?? '' }
    const job = await this.site.jobs.start(ctx, UNDO_SESSION, { payload, total })
    respondWithJob(ctx, this.site, job)
  }
}

/** Resets the write budget of an access token, after its owner has confirmed further writes. */
export class BudgetController {
  constructor(private readonly site: Site & WithAccessTokens & WithMcp) {}

  async allow(ctx: HttpContext): Promise<void> {
    const { owner } = guardOf(ctx).signedInOrFail()
    requireProof(ctx, this.site.url('/account'))
    const id = rowId(ctx.params.id)
    const tokens = await this.site.accessTokens.ofUser(owner)
    const token = tokens.find((one) => one.id === id)
    if (!token || !this.site.mcp) throw new PageNotFound()
    await new WriteBudget(this.site.mcp).renew(token.id)
    this.site.logEvent(ctx, {
      type: EventType.UPDATE,
      resourceType: AdminAccessToken.name,
      resourceId: String(token.id),
      details: { mcp_writes: 'allowed', token_name: token.name },
    })
    const text = this.site.text('mcp.budget.allowed', { name: token.name })
    await redirectWithMessage(ctx, this.site.url('/account'), { kind: 'success', text })
  }
}
