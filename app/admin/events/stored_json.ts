import { createHash } from 'node:crypto'
import type { Changes, State } from '#crud'

/* A description is stored whole, a book is not. */
export const LONGEST_VALUE = 10_000

/* Of a longer one, enough to know it by */
const BEGINNING = 1000

/**
 * A state as the log stores it: whole, save for values too long to be kept at every change.
 */
export function storedState(state: State | null): string | null {
  if (state === null) return null
  const json = JSON.stringify(state)
  return json.length <= LONGEST_VALUE ? json : JSON.stringify(mapped(state, shortened))
}

/**
 * The changes, likewise.
 */
export function storedChanges(changes: Changes): string {
  const json = JSON.stringify(changes)
  if (json.length <= LONGEST_VALUE) return json
  return JSON.stringify(mapped(changes, (pair) => mapped(pair, shortened)))
}

/** The digest tells whether two values that begin alike are the same. */
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
