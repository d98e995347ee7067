import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import type { Dialect } from '#base/database/dialect'
import type { IncludedRelation } from '../resource/resource.js'
import type { ExtraColumn } from '#base/sql/sql'
import type { Found } from '../sql/reader.js'
import type { CallOptions } from './call_options.js'
import { readRelated } from './related/related_items.js'
import { LINK } from './related/related_rows.js'

/** Returns the columns to read in addition to the requested fields, for items that include related items. */
export function includeColumns(
  includes: readonly IncludedRelation[],
  table: string,
  dialect: Dialect
): ExtraColumn[] {
  return includes.map(({ column }, index) => {
    const as = aliasOf(index)
    return { as, sql: dialect.stored(table, column, as) }
  })
}

/**
 * Adds the related items to the items found, with one query per relation. Leaves out records outside the actor's scope,
 * soft-deleted records, and records that the policy does not allow the actor to read; if the policy refuses the whole
 * operation, the request is refused. A list is cut at the relation's limit, and the field `NAME_has_more` is then true.
 *
 * @param found  items, read with `includeColumns`
 * @throws Problem 403
 * @throws Problem 422  when the related items exceed the limit of one response
 */
export async function includeRelated(
  found: readonly Found[],
  includes: readonly IncludedRelation[],
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  if (found.length === 0) return
  const related = await Promise.all(
    includes.map((include, index) => {
      const values = found.map(({ extras }) => extras[aliasOf(index)])
      return readRelated(include, values, clientOf(include, client), options)
    })
  )
  includes.forEach(({ hasMore, isList, name }, index) => {
    for (const { item, extras } of found) {
      const { items, more } = related[index].of(extras[aliasOf(index)])
      item[name] = isList ? items : (items[0] ?? null)
      if (more) item[hasMore] = true
    }
  })
}

/** Returns the client itself, with its transaction, unless the related model is in another database. */
function clientOf(
  { resource }: IncludedRelation,
  client: QueryClientContract
): QueryClientContract {
  const { connection } = resource.model
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? resource.client() : client
}

function aliasOf(index: number): string {
  return `${LINK}_${index}`
}
