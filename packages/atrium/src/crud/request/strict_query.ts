import { closest } from 'fastest-levenshtein'
import type { CrudConfig } from '../define_config.js'
import { unknownParameter } from '#base/http/problems'
import type { QueryString } from './query_string.js'

/**
 * Refuses an unknown parameter. [A19]
 *
 * @throws Problem 422  naming the nearest known one
 */
export function refuseUnknown(query: QueryString, known: readonly string[]): void {
  const unknown = query.names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw unknownParameter(unknown, known.length > 0 ? closest(unknown, known) : undefined)
  }
}

/** Refuses every parameter of a write, if the configuration is strict. [A19] */
export function checkWriteQuery(query: QueryString, config: CrudConfig): void {
  if (config.strictQuery) refuseUnknown(query, [])
}
