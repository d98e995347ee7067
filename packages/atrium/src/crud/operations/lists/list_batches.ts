import { Problem } from '#base/errors'
import type { Condition } from '#base/columns/condition'
import { ListRequest } from '../../request/list_request.js'
import type { Position } from '../../sql/keyset.js'
import type { Item } from '../../types.js'
import type { ListResult } from './list_result.js'

type Fetch = (request: ListRequest) => Promise<ListResult>

/**
 * A whole list, part by part. Smaller parts are read where the values of one would exceed the limit of a response.
 *
 * @param whole   its paging limits the number of rows
 * @param fetch   reads a part; all of them from one snapshot, for a list of one moment
 * @param atOnce  rows of a part
 * @param parts   conditions that divide the list, in its order; see `orderedParts`
 */
export async function* listBatches(
  whole: ListRequest,
  fetch: Fetch,
  atOnce: number,
  parts: AsyncIterable<readonly Condition[]> = undivided()
): AsyncGenerator<Item[], void> {
  let { limit: left } = whole.paging
  if (left <= 0) return
  for await (const part of parts) {
    for await (const items of readPart(whole, part, fetch, Math.min(atOnce, left))) {
      yield left < items.length ? items.slice(0, left) : items
      left -= items.length
      if (left <= 0) return
    }
  }
}

/** Each read continues after the last row of the one before. */
async function* readPart(
  { conditions, deleted, fields, sorts }: ListRequest,
  part: readonly Condition[],
  fetch: Fetch,
  atOnce: number
): AsyncGenerator<Item[], void> {
  const narrow = [...conditions, ...part]
  let after: Position | null = null
  let isLast = false
  let limit = atOnce
  while (!isLast) {
    let next = null as Position | null
    const takeNext = (position: Position) => void (next = position)
    const paging = { shape: 'cursor', after, offset: 0, limit, takeNext } as const
    let list: ListResult
    try {
      list = await fetch(new ListRequest(narrow, sorts, paging, deleted, { fields }))
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 413 || limit === 1) throw error
      limit = Math.ceil(limit / 8)
      continue
    }
    yield list.data
    after = next
    isLast = next === null
  }
}

/** The whole list as one part */
async function* undivided(): AsyncGenerator<Condition[], void> {
  yield []
}
