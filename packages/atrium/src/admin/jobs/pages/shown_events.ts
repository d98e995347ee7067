import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { mayReadEvents } from '../../events/pages/event_access.js'
import { eventsOfJob } from '../../events/undo/job_events.js'
import type AdminJob from '../../models/admin_job.js'
import { isUnfinished } from '../../models/admin_job.js'

/* A job of many records has an event for each thousand. */
const MOST = 5

/**
 * Links to the events that a job has written, for those who can read the log.
 */
export async function shownEvents(site: AdminSite, ctx: HttpContext, job: AdminJob) {
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
