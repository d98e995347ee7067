import { Problem } from '../errors.js'
import { ListRequest } from '../request/list_request.js'
import type { Position } from '../sql/keyset.js'
import type { Item } from '../types.js'
import type { ListResult } from './list_result.js'

/**
 * A whole list, part by part: each continues after the last row of the one before. Smaller parts are read where
 * the values of one would exceed the limit of an answer.
 *
 * @param whole   its paging limits the number of rows
 * @param fetch   reads a part; all of them from one snapshot, for a list of one moment
 * @param atOnce  rows of a part
 */
export async function* listBatches(
  whole: ListRequest,
  fetch: (request: ListRequest) => Promise<ListResult>,
  atOnce: number
): AsyncGenerator<Item[], void> {
  const { conditions, deleted, fields, paging, sorts } = whole
  let after: Position | null = null
  let isLast = false
  let size = atOnce
  let left = paging.limit
  while (!isLast && left > 0) {
    let next = null as Position | null
    const takeNext = (position: Position) => void (next = position)
    const limit = Math.min(size, left)
    const part = { shape: 'cursor', after, offset: 0, limit, takeNext } as const
    let list: ListResult
    try {
      list = await fetch(new ListRequest(conditions, sorts, part, deleted, { fields }))
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 413 || size === 1) throw error
      size = Math.ceil(size / 8)
      continue
    }
    yield list.data
    left -= list.data.length
    after = next
    isLast = next === null
  }
}
