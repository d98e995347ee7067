import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import type { Condition } from '#base/columns/condition'
import { isExcludedFromInclude } from '../../resource/included_relation.js'
import type { PivotRelation } from '#base/lucid/pivot_relation'
import { knownResources } from '../../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { CallOptions } from '../call_options.js'
import { Records } from '../records.js'
import { ROWS_PER_READ, chunks } from '#base/chunks'

/**
 * Returns those related records that the actor is allowed to see by roles, scope and policy.
 *
 * @param keys  values of the column that the relation refers to
 * @returns the stored values of this column, by their text
 */
export async function visibleRelated(
  relation: PivotRelation,
  keys: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions,
  deleted: DeletedMode
): Promise<Map<string, unknown>> {
  const known = new Map<string, unknown>()
  const resource = knownResources.of(relation.relatedModel)
  const reader = clientOf(relation, client)
  await resource.load(reader)
  const actor = options.actor ?? currentActor()
  /*
   * The site's own models are not restricted: roles cannot grant access to them, and they are only offered to
   * superusers.
   */
  const seen = isExcludedFromInclude(resource.model) ? resource : await resource.for(actor, reader)
  const [, attribute] = relation.attributes
  const column = seen.columns.all.find((one) => one.attribute === attribute)
  if (!seen.permits('read') || !column) return known

  const records = new Records(seen)
  for (const values of chunks(keys, ROWS_PER_READ)) {
    const condition: Condition = { type: 'list', column, values, negate: false }
    const narrow = records.byConditions({ conditions: [condition], deleted }, reader, options)
    for (const record of await seen.reader.records(reader, narrow)) {
      if (!(await records.allows('read', options, record))) continue
      const key = (record as LucidRow & Record<string, unknown>)[attribute]
      known.set(String(key), key)
    }
  }
  return known
}

/** Returns the transaction's client, unless the other model is in another database. */
function clientOf({ relatedModel }: PivotRelation, client: QueryClientContract) {
  const { connection } = relatedModel
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? db.connection(connection) : client
}
