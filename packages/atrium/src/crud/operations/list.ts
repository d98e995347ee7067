import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ListRequest, type ListQuery } from '../request/list_request.js'
import { crudConfig } from '../settings.js'
import { clientFor } from './call_options.js'
import { isCounted, isFarOffset, readPart, completePart, rangesOf } from './lists/list_part.js'
import { shapeList, type ListOptions, type ListResult } from './lists/list_result.js'
import type { RowCount } from '../sql/counts.js'
import type { Selection } from '../sql/select.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'
import { dialectOf } from '#base/database/dialects'
import { orderOf } from '#base/columns/sort'
import { bytesOf } from '../sql/large_values.js'
import type { Found } from '../sql/reader.js'
import { allowedRecords } from './lists/allowed_records.js'
import { areCountable } from './lists/count_allowed.js'
import { includeColumns } from './include.js'

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
  const request =
    query instanceof ListRequest
      ? query.shownBy(resource)
      : ListRequest.fromCode(
          resource,
          query,
          crudConfig().pagination,
          await relatedInCode(resource, query.filters, options, query.sort)
        )
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
