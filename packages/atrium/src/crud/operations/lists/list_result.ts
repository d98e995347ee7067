import type { ListRequest } from '../../request/list_request.js'
import type { ExtraColumn } from '#base/sql/sql'
import type { Found } from '../../sql/reader.js'
import type { Item } from '../../types.js'
import type { CallOptions } from '../call_options.js'

/** A list in the requested shape. */
export interface ListResult {
  data: Item[]
  /**
   * Absent with a cursor or if the request does not ask for a count; null if the policy requires the record and too
   * many would have to be authorized
   */
  total_count?: number | null
  /** Present if the request accepts an estimate: whether `total_count` is one */
  total_is_estimate?: boolean
  /** Present for a page, and without a total */
  has_more?: boolean
  page?: number
  items_per_page?: number
  /** Present with a cursor: cursor of the next part, null at the end */
  next_cursor?: string | null
}

/** Part of a list that one response contains. */
export interface Part {
  data: Item[]
  /** True if another row follows; only known without a count, or if each row was authorized */
  more: boolean
  /** Cursor of the next part; null at the end */
  nextCursor: string | null
}

type Row = Found['extras']

export interface ListOptions extends CallOptions {
  /** True to remember the keys of the items for `keyOf` */
  keys?: boolean
  /** Called with the items and their extra columns as soon as they are read, as the count can take longer */
  whileCounting?: (items: Item[], extras: Row[]) => void
  /** Length in characters after which texts can be cut; default: no limit */
  cut?: number
  /** Extra columns to read with each item */
  extras?: readonly ExtraColumn[]
}

/**
 * Returns a part of a list in the requested shape.
 *
 * @param count  its total is null if unknown; undefined if not requested
 */
export function shapeList(
  { data, more, nextCursor }: Part,
  count: { total: number | null; isEstimate: boolean } | undefined,
  { count: wanted, paging }: ListRequest
) {
  if (paging.shape === 'cursor') return { data, next_cursor: nextCursor }
  const list: ListResult = { data }
  /* An estimate can be lower than the number of rows that the request itself has found. */
  const least =
    count?.isEstimate && data.length > 0 ? paging.offset + data.length + Number(more) : 0
  const found = count?.total
  const total = typeof found === 'number' ? Math.max(found, least) : found
  const isNumber = typeof total === 'number'
  if (count) list.total_count = total
  if (count && typeof wanted === 'number') list.total_is_estimate = count.isEstimate
  if (paging.shape === 'page') {
    list.has_more = isNumber ? paging.page * paging.itemsPerPage < total : more
    list.page = paging.page
    list.items_per_page = paging.itemsPerPage
  } else if (!isNumber) list.has_more = more
  return list
}
