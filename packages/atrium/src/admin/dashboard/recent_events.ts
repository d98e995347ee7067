import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { versionUrl } from '../http/history_urls.js'
import { seesWhole } from '../history/readable_history.js'
import { EventReader } from '../event_log/event_reader.js'
import { hasEventLog, isSuperuser, mayReadEvents } from '../http/event_access.js'
import { markOf, unnamedIn, type EventMark, subjectOf } from '../event_log/shown_event.js'
import { isolated, partsOf, plainText, type SentencePart } from '../text/plain_text.js'
import { readKey } from '../views/record_items.js'
import { RecordPlaces } from '../event_log/record_places.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { EventType } from '../events/event_integration.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { personal } from '../permissions/may.js'
import { visibleViews } from '../views/visible_views.js'
import { guardOf } from '../identity/admin_guard.js'
import { iconOf, type ModelIcon } from '../layout/model_icon.js'

const MOST = 10

/** All types but views, logins and refused requests, which change nothing. */
const UNSHOWN: string[] = [
  EventType.VIEW,
  EventType.LOGIN,
  EventType.LOGOUT,
  EventType.FAILED_LOGIN,
  EventType.REFUSED,
]
const SHOWN = Object.values(EventType).filter((type) => !UNSHOWN.includes(type))

const WRITES = [EventType.CREATE, EventType.UPDATE, EventType.DELETE, EventType.IMPORT]

/**
 * A recent event, as a sentence.
 */
export interface RecentEvent {
  /** As in `ada changed Film 12` */
  sentence: SentencePart[]
  mark: EventMark
  failed: boolean
  moment: Moment
  /** As in `3 minutes ago` */
  ago: string
  /** URL of the event's page, for viewers who can read it, else of the version that it left */
  url: string | null
}

/**
 * Recent events, by one query and one for the titles of each model. A viewer who is not a superuser sees their own writes, and those of
 * others to the models that they may see; models with record-dependent policies are left out. [B23]
 *
 * @returns undefined if the site keeps no events, null if they could not be read
 */
export async function recentEvents(
  site: AdminSite,
  ctx: HttpContext
): Promise<RecentEvent[] | null | undefined> {
  if (!hasEventLog(site)) return undefined
  try {
    const log = new EventReader(site)
    const events = isSuperuser(ctx)
      ? await log.recent(MOST, SHOWN)
      : await log.recent(MOST, WRITES, {
          userId: guardOf(ctx).signedInOrFail().owner.user.id,
          ...(await modelsFor(site, ctx)),
        })
    const places = await RecordPlaces.find(site, ctx, events)
    return events.map((event) => shown(site, ctx, event, places))
  } catch (error) {
    ctx.logger.error({ err: error }, 'Recent activity could not be read')
    return null
  }
}

/** Models whose events the viewer sees, and models that do not exist for them. [U4] */
async function modelsFor(site: AdminSite, ctx: HttpContext) {
  const visible = await visibleViews(site, ctx)
  const open = visible.filter(({ resource }) => !resource.scope && !resource.policy)
  const own = await Promise.all([...site.models.values()].map((view) => personal(ctx, view)))
  return {
    resourceTypes: open.map(({ name }) => name),
    withoutTypes: [...site.models.keys()].filter((_, index) => !own[index]),
  }
}

function shown(
  site: AdminSite,
  ctx: HttpContext,
  event: AdminEventLog,
  places: RecordPlaces
): RecentEvent {
  const { eventType: type, details } = event
  const subject = subjectOf(site, event, places, details ?? {})
  const who = isolated(plainText(event.username ?? unnamedIn(site, event), 40).text)
  const what = subject ? whatOf(site, subject) : ''
  return {
    sentence: partsOf(site.text(`dashboard.lately.${sentenceOf(event)}`, { who, what, type })),
    mark: markOf(site, type),
    failed: event.status === 'failure',
    moment: momentOf(event.timestamp),
    ago: event.timestamp.toRelative({ locale: 'en' }) ?? '',
    url: mayReadEvents(site, ctx)
      ? site.url(`/management/events/${event.id}`)
      : urlOfVersion(event, places),
  }
}

/** For others the version that it left, if they see all records of the model, also those that are gone. [R9] */
function urlOfVersion(
  { id, resourceId, resourceType, status }: AdminEventLog,
  { views }: RecordPlaces
): string | null {
  const view = views.get(resourceType ?? '')
  if (!view?.resource.isLoaded || !resourceId || status === 'failure') return null
  const [key] = readKey(view, resourceId) ?? []
  const isOpen = seesWhole(view) && !view.resource.policy && view.may('read')
  return key && isOpen ? versionUrl(view, key, id) : null
}

function sentenceOf({ eventType, status, details }: AdminEventLog): string {
  if (status === 'failure') return 'failed_write'
  if (eventType === EventType.DELETE && !details?.soft) return 'PURGE'
  return details?.restored ? 'RESTORE' : eventType
}

function whatOf(site: AdminSite, subject: NonNullable<ReturnType<typeof subjectOf>>): string {
  const { model, record, count } = subject
  if (record) return `${model} ${isolated(record.text)}`
  return count === null ? model : site.text('events.several', { count, model })
}

const MOST_RECORDS = 6
/* More than are shown, as some are gone or out of the viewer's reach by now. */
const CANDIDATES = 40
const LONGEST_TITLE = 80

/**
 * A record that the viewer has created or changed.
 */
export interface RecentRecord {
  title: string
  /** Singular name of its model */
  model: string
  icon: ModelIcon
  /** URL of its form; null if the viewer may not change it any more */
  url: string | null
  moment: Moment
  /** As in `3 minutes ago` */
  ago: string
}

/**
 * The records that the viewer worked on last, newest first: those that still exist and that policy, scope and
 * roles let them see now. [B23, U4]
 *
 * @returns undefined if the site keeps no events, null if they could not be read
 */
export async function recentRecords(
  site: AdminSite,
  ctx: HttpContext
): Promise<RecentRecord[] | null | undefined> {
  if (!hasEventLog(site)) return undefined
  try {
    const { user } = guardOf(ctx).signedInOrFail().owner
    const written = await new EventReader(site).recordsWrittenBy(user, CANDIDATES)
    const places = await RecordPlaces.find(site, ctx, written)
    return written
      .flatMap((record) => {
        const place = places.of(record)
        const view = place && places.views.get(record.resourceType)
        if (!view) return []
        return {
          title: plainText(place.title, LONGEST_TITLE).text,
          model: view.singular,
          icon: iconOf(view),
          url: place.href,
          moment: momentOf(record.timestamp),
          ago: record.timestamp.toRelative({ locale: 'en' }) ?? '',
        }
      })
      .slice(0, MOST_RECORDS)
  } catch (error) {
    ctx.logger.error({ err: error }, 'Recent records could not be read')
    return null
  }
}
