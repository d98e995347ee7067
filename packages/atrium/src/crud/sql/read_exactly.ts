import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { converted, noteConversions } from '#base/database/connection_forms'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { noteExactRow } from '#base/lucid/exact_attributes'
import { keepUnreadMoments } from '#base/lucid/lucid_moments'
import type { Key } from '#base/columns/key'
import { toApi } from '#base/values/to_api'

type Row = Record<string, unknown>

/**
 * Runs a Lucid query so that rows have exact values on every connection. Records get the values that the connection
 * itself returns, and their exact values are stored separately.
 */
export async function readExactly<Result>(
  client: QueryClientContract,
  query: Query,
  { key, model }: { key: Key; model: LucidModel },
  run: () => PromiseLike<Result>
): Promise<Result> {
  const forms = dialectOf(client).forms?.(client)
  if (!forms) return await run()
  const exact = new Map<string, Row>()
  query.knexQuery.options(forms.options())
  query.knexQuery.on('query-response', (rows: Row[], { response }: { response: any }) => {
    const conversions = forms.conversions(response.fields ?? response[1] ?? [])
    if (!makesRecords(query)) return noteConversions(rows, conversions)
    for (const row of rows) {
      const own = { ...row }
      Object.assign(row, converted(row, conversions))
      keepUnreadMoments(model, row, own)
      exact.set(key.toPath(key.ofRow(own)), own)
    }
  })
  const result = await run()
  for (const record of [result].flat() as Array<LucidRow | null>) {
    if (!record?.$isPersisted) continue
    const parts = key.columns.map((column) => toApi(column, record.$attributes[column.attribute]))
    const row = exact.get(key.toPath(parts))
    if (row) noteExactRow(record, row)
  }
  return result
}

/** True if the query returns records; false after `pojo()`. */
function makesRecords(query: unknown): boolean {
  return (query as { wrapResultsToModelInstances: boolean }).wrapResultsToModelInstances
}
