import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import type { ListRequest } from '../../request/list_request.js'
import { orderOf } from '#base/columns/sort'
import { bytesOf } from '../../sql/large_values.js'
import type { Found } from '../../sql/reader.js'
import type { Selection } from '../../sql/select.js'
import { allowedRecords } from './allowed_records.js'
import { areCountable } from './count_allowed.js'
import { includeColumns } from '../include.js'
import { completePart, isCounted, rangesOf } from './list_part.js'
import { shapeList, type ListOptions, type ListResult } from './list_result.js'
import type { Records } from '../records.js'

/**
 * Reads a list whose records are authorized one by one: a refused record is not listed, not counted, and does not count
 * towards the size of a page.
 */
export async function readAuthorized(
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
  const total = isCounting ? seen : isCounted(request) ? null : undefined
  return shapeList(part, total, request)
}
