import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import string from '@adonisjs/core/helpers/string'
import type { Site } from '../views/site.js'
import { operatorOf, jobOf } from '../identity/admin_actor.js'
import { eventActor } from '../events/event_dispatcher.js'
import { type EventDetails, EventType } from '../events/event_integration.js'
import type { ModelView } from '../views/model_view.js'
import type { FileFormat } from '../sheets/file_shape.js'
import { presentZone } from '../time/time_zone.js'
import type { ExportChoice } from './export_choice.js'
import type { ExportedList } from './exported_list.js'

interface Outcome {
  /** Number of written records */
  count: number
  /** True if not all records were written */
  isInterrupted?: boolean
}

/**
 * Logs an export: the list's query, the format and the number of records. For an interrupted export, it is the number
 * of records that the client may have received.
 */
export function logExport(
  ctx: HttpContext,
  site: Site,
  { view, parameters, selected }: ExportedList,
  { format, raw }: ExportChoice,
  { count, isInterrupted = false }: Outcome
): void {
  const job = jobOf(ctx)
  const details: EventDetails = {
    format,
    query: parameters.wholeQuery,
    count,
    ...(selected && { selected: [...selected] }),
    ...(raw && { raw }),
    ...(isInterrupted && { interrupted: true }),
    ...(job !== undefined && { job }),
  }
  const event = {
    type: EventType.EXPORT,
    status: isInterrupted ? ('failure' as const) : ('success' as const),
    resourceType: view.name,
    details,
  }
  const operator = operatorOf(ctx)
  if (!operator) return site.logEvent(ctx, event)
  const { userId, username, sessionId } = eventActor({ actor: operator, origin: undefined })
  void site.events.log({
    ...event,
    ...{ userId, username, sessionId, ipAddress: null, userAgent: null },
    timestamp: DateTime.utc(),
    resourceId: null,
    records: [],
  })
}

/**
 * Returns the file name of an export, with the day in the user's time zone: `films-2026-11-23.csv`. It consists only of
 * ASCII letters, digits, dots and dashes, which are safe in headers and on file systems.
 */
export function fileName({ label, name }: ModelView, format: FileFormat): string {
  const day = DateTime.now().setZone(presentZone()).toISODate()
  return `${slugOf(label) || slugOf(name) || 'export'}-${day}.${format}`
}

function slugOf(text: string): string {
  return string
    .slug(text, { lower: true, strict: true })
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 80)
}
