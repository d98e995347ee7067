import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { AdminSite } from '../admin_site.js'
import { operatorOf } from '../authentication/operator.js'
import { eventActor } from '../events/event_actor.js'
import type { EventDetails } from '../events/event_integration.js'
import { EventType } from '../events/event_type.js'
import { jobOf } from '../jobs/job_context.js'
import type { ExportChoice } from './export_choice.js'
import type { ExportedList } from './exported_list.js'

interface Outcome {
  /** Number of the records that were written */
  count: number
  /** True unless all were */
  isInterrupted?: boolean
}

/**
 * Logs an export: the list's query, format and number. One that was interrupted names the records that may have been
 * received. [D2, E3]
 */
export function logExport(
  ctx: HttpContext,
  site: AdminSite,
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
