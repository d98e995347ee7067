import type { Changes, Write } from '#crud'
import type { EventRecord, RecordAction } from './event_integration.js'

const ACTIONS: Record<Write['kind'], RecordAction> = {
  create: 'CREATE',
  update: 'UPDATE',
  delete: 'DELETE',
}

/**
 * Changes of an action to each record: one entry per record, however often it was written. A record
 * that was created and deleted in the same action has none. [E3]
 */
export function recordsOf(writes: readonly Write[]): EventRecord[] {
  const records = new Map<string, EventRecord | null>()
  for (const write of writes) {
    const record = recordOf(write)
    const id = `${record.resourceType}/${record.resourceId}`
    const earlier = records.get(id)
    records.set(id, earlier ? merged(earlier, record) : record)
  }
  return [...records.values()].filter((record) => record !== null)
}

function recordOf(write: Write): EventRecord {
  return {
    resourceType: write.resource.name,
    resourceId: write.resource.key.toPath(write.key).slice(1),
    action: ACTIONS[write.kind],
    previousState: write.before,
    newState: write.after,
    changes: write.changes,
  }
}

function merged(earlier: EventRecord, later: EventRecord): EventRecord | null {
  const { previousState } = earlier
  const { newState } = later
  if (previousState === null && newState === null) return null
  const action = previousState === null ? 'CREATE' : later.action
  const changes: Changes = {}
  for (const name of Object.keys({ ...earlier.changes, ...later.changes })) {
    const old = (earlier.changes[name] ?? later.changes[name]).old
    const now = (later.changes[name] ?? earlier.changes[name]).new
    if (JSON.stringify(old) !== JSON.stringify(now)) changes[name] = { old, new: now }
  }
  return {
    ...later,
    action: action === 'CREATE' && previousState !== null ? 'UPDATE' : action,
    previousState,
    newState,
    changes,
  }
}
