import { withoutBigInts } from '#base/values/json'
import type { Key, KeyValue } from '#base/columns/key'
import { BulkFailure } from './errors.js'

/* Maximum length: enough to recognize the value, and short enough for one line. */
const LONGEST = 80

/**
 * Formats a value of a request for a message: one line, shortened, and without control or direction characters.
 */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : json(value)
  const plain = text
    .slice(0, 4 * LONGEST)
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/gu, '\uFFFD')
  const letters = [...plain]
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : plain
}

function json(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  return JSON.stringify(withoutBigInts(value)) ?? String(value)
}

/** Maximum number of records per call. */
export const MOST_IDS = 1000

/**
 * Converts ids, as in a JSON body, to keys without duplicates: each id is a single value, or an array of the parts of a
 * composite key.
 *
 * @throws BulkFailure 422  for the first invalid id, and for too many ids
 */
export function readIds(key: Key, ids: readonly unknown[]): KeyValue[] {
  const keys = new Map<string, KeyValue>()
  for (const id of ids) {
    const value = key.fromJson(id)
    if (!value) throw new BulkFailure(422, 'bulk.invalidId', { id: shownValue(id) })
    keys.set(JSON.stringify(value.map(String)), value)
  }
  if (keys.size > MOST_IDS) {
    throw new BulkFailure(422, 'bulk.tooMany', { most: MOST_IDS, count: keys.size })
  }
  return [...keys.values()]
}

/**
 * Parses an id of a form, which is the key path of the record: `42`, `7/a%2Fb`.
 *
 * @returns the parts of the key, or the text itself if it is not a valid path
 */
export function idOfPath(path: string): unknown {
  try {
    const parts = path.split('/').map(decodeURIComponent)
    return parts.length === 1 ? parts[0] : parts
  } catch {
    return path
  }
}
