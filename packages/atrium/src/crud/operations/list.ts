import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ListRequest, type ListQuery } from '../request/list_request.js'
import { crudConfig } from '../settings.js'
import { clientFor } from './client_for.js'
import { readAuthorized } from './lists/authorized_list.js'
import { isCounted, isFarOffset, readPart } from './lists/list_part.js'
import { shapeList, type ListOptions, type ListResult } from './lists/list_result.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'

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
    const total = await records.reader.counts.all(client, matching)
    const part = await readPart(records, request, matching, client, options, total)
    return shapeList(part, total, request)
  }
  const [part, total] = await Promise.all([
    readPart(records, request, matching, client, options),
    isCounted(request) ? records.reader.counts.all(client, matching) : undefined,
  ])
  return shapeList(part, total, request)
}
