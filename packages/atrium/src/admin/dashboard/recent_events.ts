import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { versionUrl, mayReadEvents } from '../http/event_access.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { hasEventLog } from '../events/database_integration.js'
import { seesWhole } from '../history/readable_history.js'
import { EventReader } from '../event_log/event_reader.js'
import { markOf, unnamedIn, type EventMark, subjectOf } from '../event_log/shown_event.js'
import { isolated, partsOf, plainText, type SentencePart } from '../text/plain_text.js'
import { readKey } from '../views/record_items.js'
import { LoggedRecords } from '../event_log/logged_records.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { EventType } from '../events/event_integration.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { personal } from '../permissions/may.js'
import { visibleViews } from '../views/visible_views.js'
import { iconOf, type ModelIcon } from '../layout/model_icon.js'

const MOST = 10

/** Events that are not shown: views, logins and rejected requests, which change nothing. */
const UNSHOWN: string[] = [
  EventType.VIEW,
  EventType.LOGIN,
  EventType.LOGOUT,
  EventType.FAILED_LOGIN,
  EventType.REFUSED,
]
const SHOWN = Object.values(EventType).filter((type) => !UNSHOWN.includes(type))

const WRITES = [EventType.CREATE, EventType.UPDATE, EventType.DELETE, EventType.IMPORT]

/** A recent event, as a sentence. */
interface RecentEvent {
  /** For example `ada changed Film 12` */
  sentence: SentencePart[]
  mark: EventMark
  failed: boolean
  moment: Moment
  /** For example `3 minutes ago` */
  ago: string
  /**
   * URL of the event's page for viewers who are allowed to read it, otherwise of the record's version after the event
   */
  url: string | null
}

/**
 * Reads recent events with one query, plus one for the titles of each model. A viewer who is not a superuser sees their
 * own writes, and writes of other users to models that the viewer is allowed to see, except models with a scope or a
 * policy.
 *
 * @returns undefined if the site stores no events, null if they could not be read
 */
export async function recentEvents(
  site: Site & WithDatabase,
  ctx: HttpContext
): Promise<RecentEvent[] | null | undefined> {
  if (!hasEventLog(site)) return undefined
  try {
    const log = new EventReader(site.dbConfig)
    const events = isSuperuser(ctx)
      ? await log.recent(MOST, SHOWN)
      : await log.recent(MOST, WRITES, {
          userId: guardOf(ctx).signedInOrFail().owner.user.id,
          ...(await modelsFor(site, ctx)),
        })
    const places = await LoggedRecords.find(site, ctx, events)
    return events.map((event) => shown(site, ctx, event, places))
  } catch (error) {
    ctx.logger.error({ err: error }, 'Recent activity could not be read')
    return null
  }
}

/** Returns the models whose events the viewer sees, and the models that are hidden from the viewer. */
async function modelsFor(site: Site, ctx: HttpContext) {
  const visible = await visibleViews(site, ctx)
  const open = visible.filter(({ resource }) => !resource.scope && !resource.policy)
  const own = await Promise.all([...site.models.values()].map((view) => personal(ctx, view)))
  return {
    resourceTypes: open.map(({ name }) => name),
    withoutTypes: [...site.models.keys()].filter((_, index) => !own[index]),
  }
}

function shown(
  site: Site,
  ctx: HttpContext,
  event: AdminEventLog,
  places: LoggedRecords
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

/**
 * Returns the URL of the version after the event, for viewers who see all records of the model, including deleted ones;
 * null for other viewers, and for a failed event.
 */
function urlOfVersion(
  { id, resourceId, resourceType, status }: AdminEventLog,
  { views }: LoggedRecords
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

function whatOf(site: Site, subject: NonNullable<ReturnType<typeof subjectOf>>): string {
  const { model, record, count } = subject
  if (record) return `${model} ${isolated(record.text)}`
  return count === null ? model : site.text('events.several', { count, model })
}

const MOST_RECORDS = 6
/* Number of records to read; more than are shown, because some can be deleted or no longer visible to the viewer. */
const CANDIDATES = 40
const LONGEST_TITLE = 80

/** A record that the viewer has created or changed. */
export interface RecentRecord {
  title: string
  /** Singular name of the model */
  model: string
  icon: ModelIcon
  /** URL of the record's form; null if the viewer is no longer allowed to change the record */
  url: string | null
  moment: Moment
  /** For example `3 minutes ago` */
  ago: string
}

/**
 * Returns the records that the viewer created or changed last, newest first: only those that still exist and are
 * visible to the viewer by policy, scope and roles.
 *
 * @returns undefined if the site stores no events, null if they could not be read
 */
export async function recentRecords(
  site: Site & WithDatabase,
  ctx: HttpContext
): Promise<RecentRecord[] | null | undefined> {
  if (!hasEventLog(site)) return undefined
  try {
    const { user } = guardOf(ctx).signedInOrFail().owner
    const written = await new EventReader(site.dbConfig).recordsWrittenBy(user, CANDIDATES)
    const places = await LoggedRecords.find(site, ctx, written)
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
