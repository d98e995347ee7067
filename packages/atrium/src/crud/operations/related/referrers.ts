import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import { dialectOf } from '#base/database/dialects'
import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import { forbidden } from '#base/http/access_problems'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import { Records } from '../records.js'
import { unwritableFields } from '../writes/written_fields.js'

/**
 * Returns the keys of the rows whose column has any of the values. Scopes, hooks and soft deletion do not apply.
 */
export async function referringKeys(
  { base }: Resource,
  column: Column,
  values: readonly unknown[],
  client: TransactionClientContract
): Promise<KeyValue[]> {
  const where = [dialectOf(client).compareList(base.table, column, values, false)]
  const { key, reader } = base
  const rows = await reader.statements.rows(client, { where }, key.columns)
  return rows.map((row) => key.ofRow(row))
}

/**
 * Locks records, deleted or not, of which the actor is allowed to change some fields.
 *
 * @param names  API names of the fields
 * @throws UnknownKey   for the first record that the actor cannot see
 * @throws Problem 403  for a record or a field that the actor cannot change
 */
export async function changeableRecords(
  { base }: Resource,
  keys: readonly KeyValue[],
  names: readonly string[],
  client: TransactionClientContract,
  { actor = currentActor(), ...others }: CallOptions
): Promise<LucidRow[]> {
  const resource = await base.for(actor, client)
  const records = new Records(resource)
  const options = { ...others, actor, client }
  if (!resource.permits('read') || !resource.permits('update')) throw forbidden()
  const found = await records.locateMany(keys, client, { ...options, deleted: 'include' }, true)
  await records.authorizeReach('update', found, client, options)
  const { projection } = resource
  const each = (projection ? names : [])
    .filter((name) => projection!.writing('update', name) !== 'all' || projection!.mixed.has(name))
    .map((apiName) => ({ apiName }))
  for (const record of found) {
    await records.authorize('read', options, record)
    await records.authorize('update', options, record)
    const refused = await unwritableFields(resource, 'update', each, record, client, options)
    if (refused.length > 0) throw forbidden()
  }
  return found
}
