import { countIn } from '#base/values/numbers'
import type { CrudConfig } from '../define_config.js'
import { conflictingParameters, conflictsWithCursor, type Invalid } from '#base/http/problems'
import type { Position } from '../sql/keyset.js'

/** The requested part of the list, and the shape of the response: by offset, page or cursor. */
export type Paging =
  | { shape: 'offset'; offset: number; limit: number }
  | { shape: 'page'; page: number; itemsPerPage: number; offset: number; limit: number }
  | {
      shape: 'cursor'
      after: Position | null
      offset: 0
      limit: number
      /** Receives the position of the next part, in place of a cursor in the response */
      takeNext?: (position: Position) => void
    }

const COUNTS = ['offset', 'limit', 'page', 'itemsPerPage'] as const

/** Names of the paging parameters. */
export const PAGING = [...COUNTS, 'cursor'] as const

/** The requested part as texts, before validation. */
export type PagingInput = Partial<Record<(typeof PAGING)[number], string>>

/** Rules for reading paging parameters. */
export interface PagingRules {
  /** Default page sizes, and the maximum */
  pagination: Pick<CrudConfig['pagination'], 'limit' | 'itemsPerPage' | 'maximum'>
  /** True if a request without paging parameters is for page 1 */
  paged?: boolean
  invalid: Invalid
}

/**
 * Reads `offset` and `limit`, `page` and `itemsPerPage`, or `cursor` and `limit`. Values that are not integers, are
 * negative, or are zero for a page are invalid; empty values count as absent.
 *
 * @param positionOf  reads a cursor that is not empty
 * @throws Problem 400  for parameters that cannot be combined
 */
export function readPaging(
  input: PagingInput,
  { pagination, paged = false, invalid }: PagingRules,
  positionOf: (cursor: string) => Position
): Paging {
  const { cursor } = input
  const leastLimit = cursor === undefined ? 0 : 1
  const least = { offset: 0, limit: leastLimit, page: 1, itemsPerPage: 1 }
  const counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
  for (const name of COUNTS) counts[name] = readCount(name, input[name], least[name], invalid)
  const { offset, page, itemsPerPage } = counts
  const limit = Math.min(counts.limit ?? pagination.limit, pagination.maximum)

  const hasPage = page !== undefined || itemsPerPage !== undefined
  if (cursor !== undefined) {
    if (offset !== undefined) throw conflictsWithCursor('offset')
    if (hasPage) throw conflictsWithCursor(page === undefined ? 'itemsPerPage' : 'page')
    return { shape: 'cursor', after: cursor === '' ? null : positionOf(cursor), offset: 0, limit }
  }
  const hasOffset = offset !== undefined || counts.limit !== undefined
  if (hasPage && hasOffset) throw conflictingParameters()
  if (hasPage || (paged && !hasOffset)) {
    return pageOf(page ?? 1, Math.min(itemsPerPage ?? pagination.itemsPerPage, pagination.maximum))
  }
  return { shape: 'offset', offset: offset ?? 0, limit }
}

export function pageOf(page: number, itemsPerPage: number): Paging {
  const offset = Math.min((page - 1) * itemsPerPage, Number.MAX_SAFE_INTEGER)
  return { shape: 'page', page, itemsPerPage, offset, limit: itemsPerPage }
}

function readCount(
  name: string,
  text: string | undefined,
  least: number,
  invalid: Invalid
): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = countIn(text)
  if (value !== null && value >= least) return value
  invalid(name, 'integer', `must be an integer of ${least} or more`)
}
