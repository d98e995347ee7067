import type { Key, KeyValue } from '#base/columns/key'
import { shownValue } from './shown_value.js'
import { BulkFailure } from '../errors.js'

/** Maximum number of records per call. [B20] */
export const MOST_IDS = 1000

/**
 * Converts the ids of a JSON body to keys without duplicates: each id is a single value, or an
 * array of the parts of a composite key. [S51, B20]
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
 * Parses an id of a form, which is the path of its record: `42`, `7/a%2Fb`.
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
