import { createHash } from 'node:crypto'
import type { Changes, State } from '#crud'

/* Long enough for a description; a longer value is not stored with every change. */
export const LONGEST_VALUE = 10_000

/* Characters stored of a longer value */
const BEGINNING = 1000

/**
 * State as stored in the log, with values that are too long shortened.
 */
export function storedState(state: State | null): string | null {
  if (state === null) return null
  const json = JSON.stringify(state)
  return json.length <= LONGEST_VALUE ? json : JSON.stringify(mapped(state, shortened))
}

/**
 * Changes as stored in the log, shortened in the same way.
 */
export function storedChanges(changes: Changes): string {
  const json = JSON.stringify(changes)
  if (json.length <= LONGEST_VALUE) return json
  return JSON.stringify(mapped(changes, (pair) => mapped(pair, shortened)))
}

/** The digest tells apart two shortened values with the same beginning. */
function shortened(value: unknown): unknown {
  const json = JSON.stringify(value)
  if (json.length <= LONGEST_VALUE) return value
  const text = typeof value === 'string' ? value : json
  const digest = createHash('sha256').update(text).digest('hex')
  return `${text.slice(0, BEGINNING).toWellFormed()}… (${text.length} characters, SHA-256 ${digest})`
}

function mapped<Value>(values: Record<string, Value>, map: (value: Value) => unknown) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}
