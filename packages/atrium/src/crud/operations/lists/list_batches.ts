import { Problem } from '#base/errors'
import type { Condition } from '#base/columns/condition'
import { ListRequest } from '../../request/list_request.js'
import type { Position } from '../../sql/keyset.js'
import type { Item } from '../../types.js'
import type { ListResult } from './list_result.js'

type Fetch = (request: ListRequest) => Promise<ListResult>

/**
 * Yields a whole list in batches. Batches become smaller where their values would exceed the limit of a response.
 *
 * @param whole   request for the whole list; its paging limits the number of rows
 * @param fetch   reads one batch; for a consistent list, all batches have to be read from one snapshot
 * @param atOnce  number of rows in a batch
 * @param parts   conditions that divide the list into consecutive parts; see `orderedParts`
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

/** Reads one part of the list in batches. Each read continues after the last row of the previous one. */
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
