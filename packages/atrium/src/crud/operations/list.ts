import { crudConfig } from '../settings.js'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ListRequest, type ListQuery } from '../request/list_request.js'
import { clientFor, type CallOptions } from './call_options.js'
import { shapeList, type ListOptions, type ListResult, type Part } from './lists/list_result.js'
import type { RowCount } from '../sql/counts.js'
import type { Selection } from '../sql/select.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'
import { dialectOf } from '#base/database/dialects'
import { orderOf, reversed, type Sort, orderTerms } from '#base/columns/sort'
import { bytesOf } from '../sql/large_values.js'
import type { Found } from '../sql/reader.js'
import { allowedRecords, areCountable } from './lists/allowed_records.js'
import { includeColumns, includeRelated } from './include.js'
import type { Dialect } from '#base/database/dialect'
import { writeCursor } from '../request/cursor.js'
import type { Paging } from '../request/list_grammar.js'
import type { Resource } from '../resource/resource.js'
import { positionOf, positionParts, rangesAfter } from '../sql/keyset.js'
import type { Sql } from '#base/sql/sql'

/** Offset from which the list is counted before the rows are read */
const FAR = 1000

/**
 * Reads the requested rows with one statement, or with one for each range after the position of a cursor.
 *
 * @param total  number of rows in the list, if known: rows in its second half are read from the end
 */
async function readPart(
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
      ...(include.length > 0 ? includeColumns(include, resource.table, dialect) : []),
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
  let nextCursor: string | null = null
  if (more && paging.shape === 'cursor') {
    const position = positionOf(found.at(-1)!.extras, order)
    if (paging.takeNext) paging.takeNext(position)
    else nextCursor = writeCursor(resource, request, position)
  }
  if (include.length > 0) await includeRelated(found, include, client, options)
  const data = found.map(({ item }) => item)
  options.whileCounting?.(
    data,
    found.map(({ extras }) => extras)
  )
  return { data, more, nextCursor }
}

/** Returns the conditions that narrow the list to the rows to read, to be applied one after another. */
function rangesOf(
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
function isFarOffset({ reader }: Records, request: ListRequest): boolean {
  return request.paging.offset >= FAR && isCounted(request) && reader.readsInAnyOrder
}

/** Returns offset and limit of the same rows counted from the end of the list; null if they are nearer to the start. */
function windowFromEnd({ offset, limit }: Paging, total: number) {
  const beyond = Math.max(0, total - offset)
  if (beyond > offset) return null
  const rows = Math.min(limit, beyond)
  return { offset: beyond - rows, limit: rows }
}

/** True if the response contains the total. */
function isCounted({ count, paging }: ListRequest): boolean {
  return count !== false && paging.shape !== 'cursor'
}

/**
 * Reads a list whose records are authorized one by one: a refused record is not listed, not counted, and does not count
 * towards the size of a page.
 */
async function readAuthorized(
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
    extras: [...(options.extras ?? []), ...includeColumns(include, resource.table, dialect)],
    first: isCounting ? undefined : offset + limit + 1,
  })

  const found: Found[] = []
  let seen = 0
  for await (const allowed of batches) {
    for (const one of allowed) {
      if (seen >= offset && found.length < limit) {
        await options.budget?.reserve(bytesOf(one.record))
        found.push(reader.foundOf(one, { fields, keys: options.keys }))
      }
      seen++
    }
    if (!isCounting && seen > offset + limit) break
  }
  const more = seen > offset + limit
  const part = await completePart(found, more, request, resource, client, options)
  const count = { total: isCounting ? seen : null, isEstimate: false }
  return shapeList(part, isCounted(request) ? count : undefined, request)
}

/** Reads a list. See `LucidCrud.getMulti`. */
export async function listItems(
  records: Records,
  query: ListQuery | ListRequest,
  options: ListOptions
): Promise<ListResult> {
  const { resource } = records
  const client = await clientFor(resource, options)
  const request = await listRequestInCode(resource, query, options)
  await records.authorize('read_multi', options)
  if (!options.budget) return await readList(records, request, client, options)
  return await options.budget.forList((budget) =>
    readList(records, request, client, { ...options, budget })
  )
}

/**
 * Reads the requested page or range. Counts the whole list unless the request has `count=false` or a cursor, or its
 * records cannot be counted.
 */
async function readList(
  records: Records,
  request: ListRequest,
  client: QueryClientContract,
  options: ListOptions
): Promise<ListResult> {
  const matching = records.byConditions(request, client, options)
  if (records.authorizesRecords(options))
    return await readAuthorized(records, request, matching, client, options)
  if (isFarOffset(records, request)) {
    const count = await countRows(records, request, matching, client)
    const total = count.total || undefined
    const part = await readPart(records, request, matching, client, options, total)
    return shapeList(part, count, request)
  }
  const [part, count] = await Promise.all([
    readPart(records, request, matching, client, options),
    isCounted(request) ? countRows(records, request, matching, client) : undefined,
  ])
  return shapeList(part, count, request)
}

/** Counts the whole list, or estimates its length. */
async function countRows(
  { reader: { counts } }: Records,
  { count }: ListRequest,
  matching: Selection,
  client: QueryClientContract
): Promise<RowCount> {
  if (typeof count === 'number') return await counts.upTo(client, matching, count)
  return { total: await counts.all(client, matching), isEstimate: false }
}

/** Returns the request for a list of application code; a parsed request is limited to what the resource shows. */
export async function listRequestInCode(
  resource: Resource,
  query: ListQuery | ListRequest,
  options: CallOptions
): Promise<ListRequest> {
  if (query instanceof ListRequest) return query.shownBy(resource)
  const related = await relatedInCode(resource, query.filters, options, query.sort)
  return ListRequest.fromCode(resource, query, crudConfig().pagination, related)
}
