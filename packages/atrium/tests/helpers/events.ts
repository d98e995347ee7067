/* Inserts events into the log, for tests of its pages. */
import db from '@adonisjs/lucid/services/db'
import { DateTime, type DurationLike } from 'luxon'
import type { EventIntegration } from '#admin'
import { adminSite } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'

interface LoggedState {
  resource_type: string
  resource_id: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** A time in the past, in the database's format. */
export function ago(time: DurationLike = {}): string {
  return DateTime.utc().minus(time).toFormat('yyyy-MM-dd HH:mm:ss')
}

export async function emptyEventTables(): Promise<void> {
  const { events } = await adminSite()
  await events.settle()
  await db.from('admin_audit_log').delete()
  await db.from('admin_event_log').delete()
}

/**
 * Inserts an event.
 *
 * @param columns  columns that differ from the defaults
 * @param states   states of its records
 * @returns its id
 */
export async function logEvent(
  { details = null, ...columns }: Record<string, unknown> = {},
  states: LoggedState[] = []
): Promise<number> {
  const event = {
    timestamp: ago(),
    event_type: 'UPDATE',
    status: 'success',
    username: 'ada',
    ...columns,
  }
  const id = await insertRow('admin_event_log', {
    ...event,
    details: details && JSON.stringify(details),
  })
  for (const { before, after, ...record } of states) {
    await db.table('admin_audit_log').insert({
      event_id: id,
      timestamp: event.timestamp,
      action: before === null ? 'CREATE' : after === null ? 'DELETE' : 'UPDATE',
      previous_state: before && JSON.stringify(before),
      new_state: after && JSON.stringify(after),
      changes: JSON.stringify(changesOf(before ?? {}, after ?? {})),
      ...record,
    })
  }
  return id
}

/**
 * Replaces the site's event integration.
 *
 * @returns a function that restores it
 */
export async function withIntegration(
  integration: EventIntegration | undefined
): Promise<() => void> {
  const site = (await adminSite()) as { eventIntegration: EventIntegration | undefined }
  const { eventIntegration } = site
  site.eventIntegration = integration
  return () => void (site.eventIntegration = eventIntegration)
}

function changesOf(before: Record<string, unknown>, after: Record<string, unknown>) {
  const changes: Record<string, unknown> = {}
  for (const name of Object.keys({ ...before, ...after })) {
    const pair = { old: before[name] ?? null, new: after[name] ?? null }
    if (JSON.stringify(pair.old) !== JSON.stringify(pair.new)) changes[name] = pair
  }
  return changes
}
