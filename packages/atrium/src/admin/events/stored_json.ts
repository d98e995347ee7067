import { createHash } from 'node:crypto'
import type { Changes, State } from '#crud'
import type { Reversal } from '#crud/internals'

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

/* A hundred rows are one statement, whose length servers limit. */
export const LONGEST_REVERSAL = 100_000

/**
 * The data to take a write back, as stored in the log; without the values if they are too long. [R7]
 */
export function storedReversal(reversal: Reversal | undefined): string | null {
  if (!reversal) return null
  const json = JSON.stringify(reversal)
  if (json.length <= LONGEST_REVERSAL) return json
  return JSON.stringify({ before: null, left: reversal.left, lack: 'size' } satisfies Reversal)
}

/* The end of a shortened value */
const SHORTENED = /… \(\d+ characters, SHA-256 [0-9a-f]{64}\)$/

/** True for a value of the log that is the beginning of a longer one only. */
export function isShortened(value: unknown): boolean {
  return typeof value === 'string' && value.length > BEGINNING && SHORTENED.test(value)
}

/** The digest tells apart two shortened values with the same beginning. */
export function shortened(value: unknown): unknown {
  const json = JSON.stringify(value)
  if (json.length <= LONGEST_VALUE) return value
  const text = typeof value === 'string' ? value : json
  const digest = createHash('sha256').update(text).digest('hex')
  return `${text.slice(0, BEGINNING).toWellFormed()}… (${text.length} characters, SHA-256 ${digest})`
}

function mapped<Value>(values: Record<string, Value>, map: (value: Value) => unknown) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}
