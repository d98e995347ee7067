import type { HttpContext } from '@adonisjs/core/http'
import { readingClientOf } from '../../config/database_config.js'
import { EventType } from '../../events/event_integration.js'
import { hasEventLog, type WithEventLog } from '../../events/database_integration.js'
import { guardOf } from '../../identity/admin_guard.js'
import AdminAuditLog from '../../models/admin_audit_log.js'
import AdminEventLog from '../../models/admin_event_log.js'

/*
 * Limits: the user's last events that are searched (so that a long log costs no more), the events that are read, and
 * the values that come first in a picker
 */
const MOST_SEARCHED = 200
const EVENTS = 40
const MOST_RECENT = 5

type Recent = ReadonlyMap<string, readonly unknown[]>

const NONE: Recent = new Map()

/* Cached per request, as a form can have several references. */
const ASKED = new WeakMap<HttpContext, Map<string, Promise<Recent>>>()

/**
 * Returns the values that the signed-in user has stored last in a field, newest first and without duplicates; none if
 * the site stores no events. A user whose name was changed has none until they save again.
 *
 * @param model  class name of the model that has the field
 */
export async function recentValues(
  ctx: HttpContext,
  site: WithEventLog,
  model: string,
  apiName: string
): Promise<readonly unknown[]> {
  if (!hasEventLog(site)) return []
  let requested = ASKED.get(ctx)
  if (!requested) ASKED.set(ctx, (requested = new Map()))
  let recent = requested.get(model)
  if (!recent) requested.set(model, (recent = unlessFailed(ctx, model)))
  const values = await recent
  return values.get(apiName) ?? []
}

async function unlessFailed(ctx: HttpContext, model: string): Promise<Recent> {
  try {
    return await read(ctx, model)
  } catch (error) {
    ctx.logger.error({ err: error }, `${model}: the recent choices of the user are not known`)
    return NONE
  }
}

async function read(ctx: HttpContext, model: string): Promise<Recent> {
  const owner = guardOf(ctx).signedIn?.owner
  if (!owner) return NONE
  const { id, username } = owner
  const client = readingClientOf(AdminEventLog)
  const last = client
    .from(AdminEventLog.table)
    .where('username', username)
    .orderBy('timestamp', 'desc')
    .limit(MOST_SEARCHED)
    .select('id', 'user_id', 'status', 'resource_type', 'event_type')
    .as('last')
  const events: Array<{ id: number | string }> = await client
    .from(last)
    /* The name is indexed. The id is compared as well, as the name may have belonged to another user before. */
    .where({ user_id: id, status: 'success', resource_type: model })
    .whereIn('event_type', [EventType.CREATE, EventType.UPDATE])
    .orderBy('id', 'desc')
    .limit(EVENTS)
    .select('id')
  if (events.length === 0) return NONE
  const audits = await AdminAuditLog.query({ client: readingClientOf(AdminAuditLog) })
    .whereIn(
      'eventId',
      events.map((event) => event.id)
    )
    .where('resourceType', model)
    .orderBy('id', 'desc')
    .limit(EVENTS)
    .select('changes')
  const found = new Map<string, unknown[]>()
  for (const { changes } of audits) {
    for (const [name, change] of Object.entries(changes ?? {})) add(found, name, change?.new)
  }
  return found
}

function add(found: Map<string, unknown[]>, name: string, value: unknown): void {
  if (typeof value !== 'string' && typeof value !== 'number') return
  const known = found.get(name) ?? []
  found.set(name, known)
  if (known.length < MOST_RECENT && !known.some((one) => String(one) === String(value))) {
    known.push(value)
  }
}
