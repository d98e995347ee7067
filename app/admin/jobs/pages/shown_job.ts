import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { momentOf } from '../../events/pages/shown_event.js'
import type AdminJob from '../../models/admin_job.js'
import { isUnfinished } from '../../models/admin_job.js'
import { jobUrl } from './job_url.js'

/**
 * A job as its pages show it.
 */
export function shownJob(site: AdminSite, ctx: HttpContext, job: AdminJob) {
  const { done, fault, state, total, username } = job
  const url = jobUrl(site, job)
  const view = site.models.get(job.model ?? '')
  const message = job.result?.message
  return {
    id: job.id,
    title: site.jobs.kindOf(job)?.titleOf(job) ?? job.kind,
    state,
    tone: TONES[state],
    word: site.text(`jobs.states.${wordOf(job)}`),
    username,
    isOwn: job.userId === ctx.auth.use('admin').signedIn?.owner.id,
    progress: total === null ? null : { done, total },
    progressText: site.text('jobs.progress', { done, total: total ?? 0 }),
    left: leftOf(site, job),
    message: typeof message === 'string' ? message : null,
    fault,
    created: momentOf(job.createdAt),
    ended: job.endedAt && momentOf(job.endedAt),
    isUnfinished: isUnfinished(job),
    again: site.jobs.offersAgain(job)
      ? site.text(`jobs.again.${site.jobs.kindOf(job)!.again}`)
      : null,
    model: view ? { label: view.label, url: view.url('/') } : null,
    url,
    /* A page that asks by itself is no sign of somebody at work. [B7] */
    pollUrl: `${url}?poll=1`,
    cancelUrl: `${url}/cancel`,
    againUrl: `${url}/again`,
  }
}

const TONES = {
  queued: 'neutral',
  running: 'neutral',
  done: 'positive',
  failed: 'negative',
  cancelled: 'neutral',
} as const

/** A job that waits again after its process has stopped is not at its beginning. */
function wordOf({ done, state }: AdminJob): string {
  return state === 'queued' && done > 0 ? 'interrupted' : state
}

/** Says how many records an unfinished job has done, and how many not. */
function leftOf(site: AdminSite, { done, state, total }: AdminJob): string | null {
  if ((state !== 'failed' && state !== 'cancelled') || total === null) return null
  return site.text('jobs.left', { done, left: total - done })
}
