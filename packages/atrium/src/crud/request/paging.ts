import type { CrudConfig } from '../define_config.js'
import { conflictingParameters, conflictsWithCursor, invalidParameter } from '#base/http/problems'
import type { Position } from '../sql/keyset.js'
import type { QueryString } from './query_string.js'

/**
 * The requested part of the list and the shape of its response: the two of the specification, and that of
 * a cursor. [S2, Q4]
 */
export type Paging =
  | { shape: 'offset'; offset: number; limit: number }
  | { shape: 'page'; page: number; itemsPerPage: number; offset: number; limit: number }
  | {
      shape: 'cursor'
      after: Position | null
      offset: 0
      limit: number
      /** Receives the position of the next part instead of the response's cursor */
      takeNext?: (position: Position) => void
    }

/**
 * Reads `offset` and `limit`, or `page` and `itemsPerPage`.
 *
 * @param paged  true if a request without any of them means page 1
 * @throws Problem 400  when both pairs are used [A11]
 * @throws Problem 422  for a value that is not an integer, negative, repeated, or zero for a page [A13]
 */
export function parsePaging(
  query: QueryString,
  config: Omit<CrudConfig['pagination'], 'included' | 'includedPerRecord'>,
  paged: boolean = false
): Paging {
  const offset = readCount(query, 'offset', 0)
  const limit = readCount(query, 'limit', 0)
  const page = readCount(query, 'page', 1)
  const itemsPerPage = readCount(query, 'itemsPerPage', 1)

  const hasPage = page !== undefined || itemsPerPage !== undefined
  const hasOffset = offset !== undefined || limit !== undefined
  if (hasPage && hasOffset) throw conflictingParameters()

  if (hasPage || (paged && !hasOffset)) {
    return pageOf(page ?? 1, Math.min(itemsPerPage ?? config.itemsPerPage, config.maximum))
  }
  return {
    shape: 'offset',
    offset: offset ?? 0,
    limit: Math.min(limit ?? config.limit, config.maximum),
  }
}

/**
 * Reads the paging parameters that are allowed with a cursor.
 *
 * @returns the limit
 * @throws Problem 400  for a parameter that conflicts with the cursor [Q4]
 * @throws Problem 422
 */
export function parseCursorLimit(
  query: QueryString,
  config: Omit<CrudConfig['pagination'], 'included' | 'includedPerRecord'>
): number {
  for (const [name, least] of [
    ['offset', 0],
    ['page', 1],
    ['itemsPerPage', 1],
  ] as const) {
    if (readCount(query, name, least) !== undefined) throw conflictsWithCursor(name)
  }
  return Math.min(readCount(query, 'limit', 1) ?? config.limit, config.maximum)
}

export function pageOf(page: number, itemsPerPage: number): Paging {
  const offset = Math.min((page - 1) * itemsPerPage, Number.MAX_SAFE_INTEGER)
  return { shape: 'page', page, itemsPerPage, offset, limit: itemsPerPage }
}

/**
 * @returns undefined if the parameter is absent or empty
 */
function readCount(query: QueryString, name: string, least: number): number | undefined {
  const text = query.get(name)
  if (text === undefined || text === '') return undefined
  const value = /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : -1
  if (value < least) {
    throw invalidParameter(name, 'integer', `must be an integer of ${least} or more`)
  }
  return value
}
