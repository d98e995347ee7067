import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Dialect } from '../database/dialect.js'
import { dialectOf } from '../database/dialects.js'
import type { Sql } from '../sql/sql.js'
import { embed, linksOf } from './include.js'
import { allowedRecords, areCountable } from './allowed_records.js'
import type { CallOptions } from '../lucid_crud.js'
import { writeCursor } from '../request/cursor.js'
import { positionOf, positionParts, rangesAfter } from '../sql/keyset.js'
import { bytesOf } from '../sql/large_values.js'
import type { ListRequest } from '../request/list_request.js'
import type { Paging } from '../request/paging.js'
import type { Beside, Found } from '../sql/reader.js'
import type { Selection } from '../sql/select.js'
import { orderOf, type Sort } from '../request/sort.js'
import { orderTerms } from '../sql/order.js'
import type { Records } from './records.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'

/**
 * A list, in the shape that was asked for. [S2]
 */
export interface ListResult {
  data: Item[]
  /**
   * Absent where nothing is counted: on request, and with a cursor; null where the policy looks at
   * records and too many would have to be judged [P14, Q4, Q5]
   */
  total_count?: number | null
  /** With a page, and where nothing is counted on request or too much is there to be counted */
  has_more?: boolean
  page?: number
  items_per_page?: number
  /** With a cursor: that of the part that follows, null at the end [Q4] */
  next_cursor?: string | null
}

type Row = Found['beside']

export interface ListOptions extends CallOptions {
  /** Whether `keyOf` is to know the items' keys */
  keys?: boolean
  /** Is given the items as soon as they are there, with what was read beside them: counting may take longer */
  whileCounting?: (items: Item[], beside: Row[]) => void
  /** After so many characters the items' texts may be cut; default: they are whole */
  cut?: number
  /** What is to be read beside each item */
  beside?: readonly Beside[]
}

/**
 * Reads the part of a list that a request asks for, and counts the whole unless it is not to.
 */
export async function readList(
  records: Records,
  request: ListRequest,
  client: QueryClientContract,
  options: ListOptions
): Promise<ListResult> {
  const matching = records.byConditions(request, client, options)
  if (records.judgesRecords(options))
    return await readJudged(records, request, matching, client, options)
  const [part, total] = await Promise.all([
    readPart(records, request, matching, client, options),
    isCounted(request) ? records.reader.count(client, matching) : undefined,
  ])
  return shapeList(part, total, request)
}

interface Part {
  data: Item[]
  /** Whether a row follows; known only where nothing is counted, or each row was judged */
  more: boolean
  /** Null at the end */
  nextCursor: string | null
}

async function readPart(
  records: Records,
  request: ListRequest,
  matching: Selection,
  client: QueryClientContract,
  options: ListOptions
): Promise<Part> {
  const { resource } = records
  const { fields, include, paging, sorts } = request
  const { limit } = paging
  const dialect = dialectOf(client)
  const order = orderOf(sorts, resource.key.columns)
  const wanted = {
    fields,
    keys: options.keys,
    room: options.room,
    cut: options.cut,
    beside: [
      ...(options.beside ?? []),
      ...linksOf(include, resource.table, dialect),
      ...(paging.shape === 'cursor' ? positionParts(order, resource.table, dialect) : []),
    ],
  }
  const rows = isCounted(request) ? limit : limit + 1
  const found: Found[] = []
  for (const where of rangesOf(paging, order, resource.table, dialect)) {
    if (found.length === rows) break
    const selection = {
      where: [...matching.where, ...where],
      scope: matching.scope,
      order: orderTerms(resource.table, order, dialect),
      offset: paging.offset,
      limit: rows - found.length,
    }
    found.push(...(await records.reader.find(client, selection, wanted)))
  }

  const more = found.length > limit
  if (more) found.length = limit
  return await completePart(found, more, request, resource, client, options)
}

/** What goes with the items that were found: where the list goes on, and the related items. */
async function completePart(
  found: readonly Found[],
  more: boolean,
  request: ListRequest,
  resource: Resource,
  client: QueryClientContract,
  options: ListOptions
): Promise<Part> {
  const { include, paging, sorts } = request
  const order = orderOf(sorts, resource.key.columns)
  const nextCursor =
    more && paging.shape === 'cursor'
      ? writeCursor(resource, request, positionOf(found.at(-1)!.beside, order))
      : null
  await embed(found, include, client, options)
  const data = found.map(({ item }) => item)
  options.whileCounting?.(
    data,
    found.map(({ beside }) => beside)
  )
  return { data, more, nextCursor }
}

/**
 * The same where the policy is asked about each record: what it refuses is neither listed nor counted,
 * and no place in the list is left for it. [P14]
 */
async function readJudged(
  records: Records,
  request: ListRequest,
  matching: Selection,
  client: QueryClientContract,
  options: ListOptions
): Promise<ListResult> {
  const { reader, resource } = records
  const { fields, include, paging, sorts } = request
  const { limit, offset } = paging
  const dialect = dialectOf(client)
  const order = orderOf(sorts, resource.key.columns)
  const isCounting = isCounted(request) && (await areCountable(records, client, matching))
  const batches = allowedRecords(records, client, matching, options, {
    sorts,
    ranges: rangesOf(paging, order, resource.table, dialect),
    beside: [...(options.beside ?? []), ...linksOf(include, resource.table, dialect)],
    first: isCounting ? undefined : offset + limit + 1,
  })

  const found: Found[] = []
  let seen = 0
  for await (const allowed of batches) {
    for (const one of allowed) {
      if (seen >= offset && found.length < limit) {
        await options.room?.take(bytesOf(one.record))
        found.push(reader.foundOf(one, { fields, keys: options.keys }))
      }
      seen++
    }
    if (!isCounting && seen > offset + limit) break
  }
  const more = seen > offset + limit
  const part = await completePart(found, more, request, resource, client, options)
  const total = isCounting ? seen : isCounted(request) ? null : undefined
  return shapeList(part, total, request)
}

/** What narrows the list to what is to be read, one after the other. */
function rangesOf(
  paging: Paging,
  order: readonly Sort[],
  table: string,
  dialect: Dialect
): Sql[][] {
  if (paging.shape !== 'cursor' || paging.after === null) return [[]]
  return rangesAfter(order, paging.after, table, dialect).map((range) => [range])
}

function isCounted({ count, paging }: ListRequest): boolean {
  return count !== false && paging.shape !== 'cursor'
}

function shapeList(
  { data, more, nextCursor }: Part,
  total: number | null | undefined,
  { paging }: ListRequest
) {
  if (paging.shape === 'cursor') return { data, next_cursor: nextCursor }
  const list: ListResult = { data }
  const isNumber = typeof total === 'number'
  if (total !== undefined) list.total_count = total
  if (paging.shape === 'page') {
    list.has_more = isNumber ? paging.page * paging.itemsPerPage < total : more
    list.page = paging.page
    list.items_per_page = paging.itemsPerPage
  } else if (!isNumber) list.has_more = more
  return list
}
