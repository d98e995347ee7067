import { identityOf, type KeyValue } from '#base/columns/key'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { currentActor } from '#base/actor'
import { dialectOf } from '#base/database/dialects'
import type { Resource, Scope } from '../resource/resource.js'
import { reachSql } from '../sql/reach_sql.js'
import { whereSql } from '#base/sql/sql'
import type { CallOptions } from './call_options.js'
import { KEYS_PER_CONDITION, chunks } from '#base/chunks'

/** Scopes that a grant is limited to: a record has to be in one of them. Null: the grant includes all records. */
export type Reach = readonly Scope[] | null

/**
 * Checks which records are in the scopes of several grants, regardless of read access. Runs one statement per 200
 * records.
 *
 * @returns for each key, by `identityOf`, one result per reach, in their order; without the keys of missing records
 */
export async function reachedOf(
  { base }: Resource,
  keys: readonly KeyValue[],
  reaches: readonly Reach[],
  client: QueryClientContract,
  { actor = currentActor() }: CallOptions
): Promise<ReadonlyMap<string, readonly boolean[]>> {
  const { key, table } = base
  const dialect = dialectOf(client)
  const reached = new Map<string, readonly boolean[]>()
  for (const some of chunks(keys, KEYS_PER_CONDITION)) {
    const query = client.query().from(table)
    for (const column of key.columns) query.select(client.raw(dialect.select(table, column)) as any)
    reaches.forEach((scopes, index) => {
      const { sql, bindings } = scopes
        ? reachSql(base, scopes, client, actor, true)
        : { sql: '1 = 1', bindings: [] }
      const response = `case when ${sql} then 1 else 0 end as ${dialect.quote(`reach_${index}`)}`
      query.select(client.raw(response, bindings as any) as any)
    })
    whereSql(query as any, key.isAny(some, dialect))
    const forms = dialect.forms?.(client)
    if (forms) query.knexQuery.options(forms.options())
    for (const row of await query) {
      const responses = reaches.map((_, index) => Number(row[`reach_${index}`]) === 1)
      reached.set(identityOf(key.ofRow(row)), responses)
    }
  }
  return reached
}
