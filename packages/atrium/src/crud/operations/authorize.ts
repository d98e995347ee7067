import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import { forbidden } from '#base/http/access_problems'
import type { Resource, Scope } from '../resource/resource.js'
import type { CallOptions } from './call_options.js'
import type { GrantedOperation } from '../resource/permissions.js'
import { identityOf, type KeyValue } from '#base/columns/key'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { reachSql } from '../sql/roles_to_sql.js'
import { whereSql } from '#base/sql/sql'
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
      const result = `case when ${sql} then 1 else 0 end as ${dialect.quote(`reach_${index}`)}`
      query.select(client.raw(result, bindings as any) as any)
    })
    whereSql(query as any, key.isAny(some, dialect))
    const forms = dialect.forms?.(client)
    if (forms) query.knexQuery.options(forms.options())
    for (const row of await query) {
      const results = reaches.map((_, index) => Number(row[`reach_${index}`]) === 1)
      reached.set(identityOf(key.ofRow(row)), results)
    }
  }
  return reached
}

/** Checks the actor's grants on a resource and the policy of the resource. */
export class Authorization {
  constructor(readonly resource: Resource) {}

  /** @throws Problem 403  when grants or the policy refuse the action */
  async authorize(
    action: GrantedOperation,
    options: CallOptions,
    record?: LucidRow
  ): Promise<void> {
    if (!(await this.allows(action, options, record))) throw forbidden()
  }

  /** True if the grants and the policy allow the action. For `restore`, the policy is checked for `delete`. */
  async allows(
    action: GrantedOperation,
    { actor = currentActor() }: CallOptions,
    record?: LucidRow
  ): Promise<boolean> {
    if (!this.resource.permits(action)) return false
    const { policy } = this.resource
    if (!policy || actor.kind === 'system') return true
    return Boolean(
      await policy(actor, action === 'restore' ? 'delete' : action, this.resource, record)
    )
  }

  /** True if the policy must authorize every record that is returned. */
  authorizesRecords({ actor = currentActor() }: CallOptions): boolean {
    return this.resource.authorizesRecords && actor.kind !== 'system'
  }

  /** Returns a function that authorizes the action on a record, or throws Problem 403; undefined without a policy. */
  recordAuthorizer(action: GrantedOperation, options: CallOptions) {
    if (!this.resource.policy) return undefined
    return (record: LucidRow) => this.authorize(action, options, record)
  }
}
