import type { HttpContext } from '@adonisjs/core/http'
import { Duration } from 'luxon'
import type { Site } from '../../views/site.js'
import type { WithLimits } from '../../config/define_config.js'
import type { WithJobs } from '../jobs.js'
import type { WithDatabase } from '../../config/database_config.js'
import { momentOf } from '../../time/local_time.js'
import type AdminJob from '../../models/admin_job.js'
import { isUnfinished } from '../../models/admin_job.js'
import type { JobKind } from '../job_kind.js'
import { guardOf } from '../../identity/admin_guard.js'
import { mayReadEvents } from '../../http/event_access.js'
import { eventsOfJob } from '../../undo/job_events.js'
import { wantsJson } from '../../http/read_body.js'
import { redirect } from '../../http/redirect.js'

/** Returns the URL of a job's page, without the host. */
export function jobUrl(site: { url(path: string): string }, { id }: { id: number }): string {
  return site.url(`/management/jobs/${id}`)
}

/** Responds to an API request that was turned into a job: 202 with the URL of the job. */
export function acceptJob({ response }: HttpContext, site: Site, job: AdminJob): void {
  const url = jobUrl(site, job)
  response
    .status(202)
    .header('location', url)
    .send({ job: { id: job.id, url } })
}

/** Redirects to the page of the job that the request has started. API clients receive the URL instead. */
export function respondWithJob(ctx: HttpContext, site: Site, job: AdminJob): void {
  if (wantsJson(ctx)) acceptJob(ctx, site, job)
  else redirect(ctx, jobUrl(site, job))
}

/** Returns the data of a job for its pages. */
export async function shownJob(
  site: Site & WithLimits & WithJobs,
  ctx: HttpContext,
  job: AdminJob
) {
  const { done, error, state, total, username } = job
  const kind = await site.jobs.kindOf(job)
  const offersAgain = await site.jobs.offersAgain(job)
  const hasEnded = !isUnfinished(job)
  const url = jobUrl(site, job)
  const view = site.models.get(job.model ?? '')
  const message = job.result?.message
  return {
    id: job.id,
    title: kind?.titleOf(job) ?? job.kind,
    state,
    tone: TONES[state],
    word: site.text(`jobs.states.${wordOf(job)}`),
    username,
    isOwn: job.userId === guardOf(ctx).signedIn?.owner.id,
    progress: total === null ? null : { done, total },
    progressText:
      state === 'reverting'
        ? site.text('jobs.revertingText', { done })
        : site.text('jobs.progress', { done, total: total ?? 0 }),
    percent: total ? Math.floor((100 * Math.min(done, total)) / total) : null,
    left: leftOf(site, job),
    advice: adviceOf(site, job, kind, offersAgain),
    figures: (hasEnded && kind?.figuresOf(job)) || [],
    links: (hasEnded && kind?.linksOf(job)) || [],
    message: typeof message === 'string' ? message : null,
    error,
    file: fileOf(site, ctx, job, kind),
    created: momentOf(job.createdAt),
    ended: job.endedAt && momentOf(job.endedAt),
    took: tookOf(job),
    isUnfinished: !hasEnded,
    isCancellable: !hasEnded && state !== 'reverting',
    again: offersAgain ? site.text(`jobs.again.${job.done > 0 ? kind!.again : 'whole'}`) : null,
    model: view ? { label: view.label, url: view.url('/') } : null,
    url,
    /* With `poll`, as automatic refreshes do not count as activity of the user. */
    pollUrl: `${url}?poll=1`,
    cancelUrl: `${url}/cancel`,
    cancelNote: kind?.cancelNoteOf(job) ?? site.text('jobs.cancelNote'),
    againUrl: `${url}/again`,
  }
}

/** Returns the link to a job's file for the job's owner; null if there is none. */
function fileOf(
  site: Site & WithLimits,
  ctx: HttpContext,
  job: AdminJob,
  kind: JobKind | undefined
) {
  const file = kind?.fileOf(job)
  if (!file || job.userId !== guardOf(ctx).signedIn?.owner.id) return null
  const { keptHours } = site.exports
  return {
    url: file.isGone ? null : `${jobUrl(site, job)}/file`,
    label: site.text('jobs.file', { name: file.name }),
    note: file.isGone
      ? site.text('jobs.fileGone', { hours: keptHours })
      : site.text('jobs.fileNote', { size: sizeOf(file.bytes), time: momentOf(file.until).text }),
  }
}

/** Formats a file size, such as `1.2 MB`. */
function sizeOf(bytes: number): string {
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${size.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`
}

const TONES = {
  queued: 'neutral',
  running: 'active',
  reverting: 'active',
  done: 'positive',
  failed: 'negative',
  cancelled: 'neutral',
} as const

/** Returns the name of the job's state. A queued job with progress was interrupted by a stop of its process. */
function wordOf({ done, state }: AdminJob): string {
  return state === 'queued' && done > 0 ? 'interrupted' : state
}

/** Returns a text with the number of processed and remaining records of a failed or cancelled job. */
function leftOf(site: Site, { done, notes, state, total }: AdminJob): string | null {
  if ((state !== 'failed' && state !== 'cancelled') || total === null || notes?.revert) return null
  return site.text('jobs.left', { done, left: total - done })
}

/** Returns advice for a job that failed or was cancelled; null if there is none, and for other jobs. */
function adviceOf(
  site: Site,
  job: AdminJob,
  kind: JobKind | undefined,
  offersAgain: boolean
): string | null {
  const { pending, state } = job
  if (state !== 'failed' && state !== 'cancelled') return null
  const own = kind?.adviceOf(job) ?? null
  if (own !== null) return own
  if (pending !== null) return site.text('jobs.advice.uncertain')
  return offersAgain
    ? site.text(`jobs.advice.${state}.${job.done > 0 ? kind!.again : 'whole'}`)
    : null
}

/** Returns the duration of the job in words; null if it never ran or took less than half a second. */
function tookOf({ endedAt, startedAt }: AdminJob): string | null {
  if (!endedAt || !startedAt) return null
  const seconds = Math.max(0, Math.round(endedAt.diff(startedAt, 'seconds').seconds))
  return seconds === 0 ? null : Duration.fromObject({ seconds }).rescale().toHuman()
}

/* Maximum number of linked events. A large job has an event for every thousand records. */
const MOST = 5

/** Returns links to the last events that an ended job has logged, for users who can read the log. */
export async function shownEvents(site: Site & WithDatabase, ctx: HttpContext, job: AdminJob) {
  const isShown = mayReadEvents(site, ctx) && !isUnfinished(job)
  const events = isShown ? await eventsOfJob(site, job) : []
  const more = events.length - MOST
  return {
    shown: events.slice(0, MOST).map(({ id }) => ({
      label: site.text('jobs.event', { id: String(id) }),
      url: site.url(`/management/events/${id}`),
    })),
    more: more > 0 ? site.text('jobs.moreEvents', { count: more }) : null,
  }
}
