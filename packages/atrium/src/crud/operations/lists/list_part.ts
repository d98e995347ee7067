import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { writeCursor } from '../../request/cursor.js'
import type { ListRequest } from '../../request/list_request.js'
import type { Paging } from '../../request/paging.js'
import { orderOf, reversed, type Sort, orderTerms } from '#base/columns/sort'
import type { Resource } from '../../resource/resource.js'
import { positionOf, positionParts, rangesAfter } from '../../sql/keyset.js'
import type { Found } from '../../sql/reader.js'
import type { Selection } from '../../sql/select.js'
import type { Sql } from '#base/sql/sql'
import { includeRelated, includeColumns } from '../include.js'
import type { ListOptions, Part } from './list_result.js'
import type { Records } from '../records.js'

/** Offset from which the list is counted before the rows are read */
const FAR = 1000

/**
 * Reads the requested rows with one statement, or with one for each range after the position of a cursor.
 *
 * @param total  number of rows in the list, if known: rows in its second half are read from the end
 */
export async function readPart(
  records: Records,
  request: ListRequest,
  matching: Selection,
  client: QueryClientContract,
  options: ListOptions,
  total?: number
): Promise<Part> {
  const { resource } = records
  const { fields, include, paging, sorts } = request
  const { limit } = paging
  const dialect = dialectOf(client)
  const order = orderOf(sorts, resource.key.columns)
  const wanted = {
    fields,
    keys: options.keys,
    budget: options.budget,
    cut: options.cut,
    extras: [
      ...(options.extras ?? []),
      ...includeColumns(include, resource.table, dialect),
      ...(paging.shape === 'cursor' ? positionParts(order, resource.table, dialect) : []),
    ],
  }
  const fromEnd = total === undefined ? null : windowFromEnd(paging, total)
  const isExact = isCounted(request) && typeof request.count !== 'number'
  const rows = fromEnd?.limit ?? (isExact ? limit : limit + 1)
  const found: Found[] = []
  for (const where of rangesOf(paging, order, resource.table, dialect)) {
    if (found.length === rows) break
    const selection = {
      where: [...matching.where, ...where],
      scope: matching.scope,
      joins: matching.joins,
      order: orderTerms(resource.table, fromEnd ? order.map(reversed) : order, dialect),
      offset: (fromEnd ?? paging).offset,
      limit: rows - found.length,
    }
    found.push(...(await records.reader.find(client, selection, wanted)))
  }
  if (fromEnd) found.reverse()

  const more = found.length > limit
  if (more) found.length = limit
  return await completePart(found, more, request, resource, client, options)
}

/** Adds the next cursor and the related items. */
export async function completePart(
  found: readonly Found[],
  more: boolean,
  request: ListRequest,
  resource: Resource,
  client: QueryClientContract,
  options: ListOptions
): Promise<Part> {
  const { include, paging, sorts } = request
  const order = orderOf(sorts, resource.key.columns)
  let nextCursor: string | null = null
  if (more && paging.shape === 'cursor') {
    const position = positionOf(found.at(-1)!.extras, order)
    if (paging.takeNext) paging.takeNext(position)
    else nextCursor = writeCursor(resource, request, position)
  }
  await includeRelated(found, include, client, options)
  const data = found.map(({ item }) => item)
  options.whileCounting?.(
    data,
    found.map(({ extras }) => extras)
  )
  return { data, more, nextCursor }
}

/** Returns the conditions that narrow the list to the rows to read, to be applied one after another. */
export function rangesOf(
  paging: Paging,
  order: readonly Sort[],
  table: string,
  dialect: Dialect
): Sql[][] {
  if (paging.shape !== 'cursor' || paging.after === null) return [[]]
  return rangesAfter(order, paging.after, table, dialect).map((range) => [range])
}

/**
 * True if the rows are so far from the start that it pays to count the list first, as they can be nearer to the end.
 * False if the model has hooks that see its records in the requested order: the rows are then read from the start.
 */
export function isFarOffset({ reader }: Records, request: ListRequest): boolean {
  return request.paging.offset >= FAR && isCounted(request) && reader.readsInAnyOrder
}

/** Returns offset and limit of the same rows counted from the end of the list; null if they are nearer to the start. */
function windowFromEnd({ offset, limit }: Paging, total: number) {
  const beyond = Math.max(0, total - offset)
  if (beyond > offset) return null
  const rows = Math.min(limit, beyond)
  return { offset: beyond - rows, limit: rows }
}

/** True if the request asks for the total. */
export function isCounted({ count, paging }: ListRequest): boolean {
  return count !== false && paging.shape !== 'cursor'
}
