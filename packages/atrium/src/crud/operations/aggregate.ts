import { tooManyToAuthorize } from '#base/http/problems'
import { crudConfig } from '../settings.js'
import { readAggregation, type AggregateInput } from '../request/aggregate_request.js'
import { ListRequest, type ListQuery } from '../request/list_request.js'
import type { AggregateRow } from '../sql/aggregates.js'
import { type CallOptions, clientFor } from './call_options.js'
import { aggregateAllowed } from './lists/aggregate_allowed.js'
import { MOST_AUTHORIZED } from './lists/count_allowed.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'

export type AggregateOptions = CallOptions & AggregateInput

/** Aggregates the items of a list. See `LucidCrud.aggregate`. */
export async function aggregateItems(
  records: Records,
  query: ListQuery | ListRequest,
  options: AggregateOptions
): Promise<AggregateRow[]> {
  const { resource } = records
  const client = await clientFor(resource, options)
  await records.authorize('read_multi', options)
  const request =
    query instanceof ListRequest
      ? query.shownBy(resource)
      : ListRequest.fromCode(
          resource,
          query,
          crudConfig().pagination,
          await relatedInCode(resource, query.filters, { ...options, client })
        )
  const aggregation = readAggregation(resource, options)
  const matching = records.byConditions(request, client, options)
  if (!records.authorizesRecords(options)) {
    return await records.reader.aggregates.groups(client, matching, aggregation)
  }
  const groups = await aggregateAllowed(records, client, matching, aggregation, options)
  if (!groups) throw tooManyToAuthorize(MOST_AUTHORIZED)
  return groups
}
