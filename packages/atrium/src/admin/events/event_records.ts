import type { Changes, Write, State } from '#crud'
import { losesSecrets, mergedPivots, withoutSecrets } from '#base/database/pivot_change'
import { reversalOf, type Reversal } from '#crud/internals'
import type { EventRecord, RecordChange } from './event_integration.js'
import { digest } from '#base/values/digest'

const ACTIONS: Record<Write['kind'], RecordChange> = {
  create: 'CREATE',
  update: 'UPDATE',
  delete: 'DELETE',
}

/**
 * Returns the changes of an action to each record, with one entry per record even if it was written several times. A
 * record that was created and deleted in the same action has no entry.
 */
export function recordsOf(writes: readonly Write[]): EventRecord[] {
  const found = mergedWrites(writes)
  for (const one of found) REVERSALS.set(one.record, reversalOfWrites(one.writes))
  return found.map(({ record }) => record)
}

/** Like `recordsOf`, without the data for reverting the changes. */
export function changesOfRecords(writes: readonly Write[]): EventRecord[] {
  return mergedWrites(writes).map(({ record }) => record)
}

function mergedWrites(writes: readonly Write[]): Array<{ record: EventRecord; writes: Write[] }> {
  if (writes.length === 1) return [{ record: recordOf(writes[0]), writes: [...writes] }]
  const records = new Map<string, { record: EventRecord; writes: Write[] } | null>()
  for (const write of writes) {
    const record = recordOf(write)
    const id = `${record.resourceType}/${record.resourceId}`
    const earlier = records.get(id)
    const whole = earlier ? merged(earlier.record, record) : record
    records.set(id, whole && { record: whole, writes: [...(earlier?.writes ?? []), write] })
  }
  return [...records.values()].filter((one) => one !== null)
}

/* Stored separately from the records, because integrations receive the records. */
const REVERSALS = new WeakMap<EventRecord, Reversal>()

/** Returns the data for reverting an event's change of a record. */
export function reversalIn(record: EventRecord): Reversal | undefined {
  return REVERSALS.get(record)
}

/** Returns the key of the written record as in URL paths, without the leading slash. */
export function idOf({ key, resource }: Write): string {
  return resource.key.toPath(key).slice(1)
}

function reversalOfWrites(writes: readonly Write[]): Reversal {
  const own = writes.filter(({ rows }) => rows.before !== undefined || rows.after !== undefined)
  const [first = writes[0]] = own
  const last = own.at(-1) ?? first
  let lack: Reversal['lack']
  if (writes.some(({ hasUnread }) => hasUnread)) lack = 'children'
  else if (writes.some(({ hasUnreportedRelations }) => hasUnreportedRelations)) lack = 'relations'
  const pivots = mergedPivots(writes.flatMap((write) => write.pivots))
  if (pivots.some(losesSecrets)) lack ??= 'hidden'
  const rows = { before: first.rows.before, after: last.rows.after }
  const reversal = reversalOf(first.resource, rows, { lack })
  return pivots.length === 0 ? reversal : { ...reversal, pivots: pivots.map(withoutSecrets) }
}

function recordOf(write: Write): EventRecord {
  return {
    resourceType: write.resource.name,
    resourceId: idOf(write),
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

/* Maximum length of a logged value: long enough for a description. A longer value is shortened in every change. */
export const LONGEST_VALUE = 10_000

/* Number of stored characters of a longer value */
const BEGINNING = 1000

/** Returns a state as stored in the log, with long values shortened. */
export function storedState(state: State | null): string | null {
  if (state === null) return null
  const json = JSON.stringify(state)
  return json.length <= LONGEST_VALUE ? json : JSON.stringify(mapped(state, shortened))
}

/** Returns changes as stored in the log, with long values shortened. */
export function storedChanges(changes: Changes): string {
  const json = JSON.stringify(changes)
  if (json.length <= LONGEST_VALUE) return json
  return JSON.stringify(mapped(changes, (pair) => mapped(pair, shortened)))
}

/*
 * Maximum length of the data for reverting a write, as a hundred rows are inserted in one statement, whose length
 * servers limit
 */
const LONGEST_REVERSAL = 100_000

/** Returns the data for reverting a write as stored in the log, without the values if they are too long. */
export function storedReversal(reversal: Reversal | undefined): string | null {
  if (!reversal) return null
  const json = JSON.stringify(reversal)
  if (json.length <= LONGEST_REVERSAL) return json
  return JSON.stringify({ before: null, left: reversal.left, lack: 'size' } satisfies Reversal)
}

/* Suffix of a shortened value */
const SHORTENED = /… \(\d+ characters, SHA-256 [0-9a-f]{64}\)$/

/** Returns true for a logged value that is shortened. */
export function isShortened(value: unknown): boolean {
  return typeof value === 'string' && value.length > BEGINNING && SHORTENED.test(value)
}

/** Shortens a long value. The digest distinguishes shortened values with the same beginning. */
export function shortened(value: unknown): unknown {
  const json = JSON.stringify(value)
  if (json.length <= LONGEST_VALUE) return value
  const text = typeof value === 'string' ? value : json
  return `${text.slice(0, BEGINNING).toWellFormed()}… (${text.length} characters, SHA-256 ${digest(text)})`
}

function mapped<Value>(values: Record<string, Value>, map: (value: Value) => unknown) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}
