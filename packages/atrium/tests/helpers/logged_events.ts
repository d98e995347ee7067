/* Inserts events into the log as the database integration writes them, including hostile ones. */
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { EventIntegration } from '#admin'
import { adminSite } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'

export interface LoggedEvent {
  timestamp?: string
  event_type?: string
  status?: string
  user_id?: number | null
  username?: string | null
  session_id?: number | null
  ip_address?: string | null
  user_agent?: string | null
  resource_type?: string | null
  resource_id?: string | null
  details?: object | null
}

export interface LoggedState {
  resource_type: string
  resource_id: string
  action?: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** A time in the past, in the log's format. */
export function ago(time: { days?: number; minutes?: number; seconds?: number } = {}): string {
  return DateTime.utc().minus(time).toFormat('yyyy-MM-dd HH:mm:ss')
}

export async function emptyEventTables(): Promise<void> {
  const site = await adminSite()
  await site.refusals.settle()
  site.refusals.forget()
  await site.events.settle()
  for (const table of ['admin_audit_log', 'admin_event_log']) await db.from(table).delete()
}

/**
 * Inserts an event with its records.
 *
 * @returns its id
 */
export async function logEvent(event: LoggedEvent = {}, states: LoggedState[] = []) {
  const row = {
    timestamp: ago(),
    event_type: 'UPDATE',
    status: 'success',
    username: 'jo',
    ip_address: '192.0.2.1',
    ...event,
    details: event.details ? JSON.stringify(event.details) : null,
  }
  const id = await insertRow('admin_event_log', row)
  const audits = states.map(({ before, after, action, ...record }) => ({
    event_id: id,
    timestamp: row.timestamp,
    action: action ?? row.event_type,
    previous_state: before && JSON.stringify(before),
    new_state: after && JSON.stringify(after),
    changes: JSON.stringify(changes(before, after)),
    ...record,
  }))
  for (let start = 0; start < audits.length; start += 100) {
    await db.table('admin_audit_log').multiInsert(audits.slice(start, start + 100))
  }
  return id as number
}

/**
 * Replaces or removes the site's event integration.
 *
 * @returns a function that restores it
 */
export async function withIntegration(integration: EventIntegration | undefined) {
  const site = await adminSite()
  const { eventIntegration: own } = site
  Object.assign(site, { eventIntegration: integration })
  return () => void Object.assign(site, { eventIntegration: own })
}

function changes(before: LoggedState['before'], after: LoggedState['after']) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const pairs = names.map((name) => {
    const pair = { old: before?.[name] ?? null, new: after?.[name] ?? null }
    return [name, pair] as const
  })
  return Object.fromEntries(pairs.filter(([, pair]) => pair.old !== pair.new))
}
