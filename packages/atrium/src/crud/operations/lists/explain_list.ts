import { dialectOf } from '#base/database/dialects'
import { orderOf, orderTerms } from '#base/columns/sort'
import type { Sql } from '#base/sql/sql'
import type { ListRequest } from '../../request/list_request.js'
import { type CallOptions, clientFor } from '../call_options.js'
import type { Records } from '../records.js'

/** The statement that reads a part of a list, and the database's plan for it. */
interface ExplainedList {
  statement: Sql
  plan: string[]
}

/**
 * Explains how the database reads a part of a list, without reading it. The statement selects the fields of items only.
 *
 * @throws Problem 403
 */
export async function explainList(
  records: Records,
  request: ListRequest,
  options: CallOptions
): Promise<ExplainedList> {
  const { resource } = records
  const client = await clientFor(resource, options)
  await records.authorize('read_multi', options)
  const { paging, sorts } = request
  const dialect = dialectOf(client)
  const selection = {
    ...records.byConditions(request.shownBy(resource), client, options),
    order: orderTerms(resource.table, orderOf(sorts, resource.key.columns), dialect),
    offset: paging.offset,
    limit: paging.limit,
  }
  const { columns } = resource.responseFields
  const statement = await records.reader.statements.reading(client, selection, columns)
  return { statement, plan: await dialect.planOf(client, statement) }
}
