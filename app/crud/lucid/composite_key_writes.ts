import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Query } from '../database/dialect.js'
import { dialectOf } from '../database/dialects.js'
import { whereSql } from '../sql/sql.js'
import type { Resource } from '../resource/resource.js'

/*
 * Lucid's save() and delete() know one key column only: on a composite key they would change every
 * row that shares it. These do what they do, hooks included, with all key columns in the condition.
 * [A9]
 */

/** What Lucid's save() uses of a row, beyond what its types show. */
interface RowInternals {
  initiateAutoUpdateColumns(): void
  prepareForAdapter(attributes: Record<string, unknown>): Record<string, unknown>
  $hydrateOriginals(): void
  forceUpdate: boolean
  $isDeleted: boolean
}

/**
 * Writes the record's changes to its own row.
 *
 * @throws Error  when not exactly one row was changed; the transaction is to be rolled back
 */
export async function updateByKey(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  const { $hooks } = resource.model
  const internals = record as unknown as RowInternals

  await $hooks.runner('before:update').run(record)
  await $hooks.runner('before:save').run(record)
  const { forceUpdate } = internals
  internals.forceUpdate = false
  if (!record.$isDirty && !forceUpdate) return

  internals.initiateAutoUpdateColumns()
  const changes = internals.prepareForAdapter(record.$dirty)
  if (Object.keys(changes).length > 0) {
    const affected = await ownRow(record, resource, client).update(changes)
    ensureOne(affected as unknown as number[], resource)
  }
  internals.$hydrateOriginals()

  await $hooks.runner('after:update').run(record)
  await $hooks.runner('after:save').run(record)
}

/**
 * Removes the record's own row.
 *
 * @throws Error  when not exactly one row was removed; the transaction is to be rolled back
 */
export async function deleteByKey(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  const { $hooks } = resource.model
  await $hooks.runner('before:delete').run(record)
  const affected = await ownRow(record, resource, client).delete()
  ensureOne(affected as unknown as number[], resource)
  ;(record as unknown as RowInternals).$isDeleted = true
  await $hooks.runner('after:delete').run(record)
}

/** By the key as it was read: a hook may have changed the attributes meanwhile. */
function ownRow(record: LucidRow, resource: Resource, client: TransactionClientContract): Query {
  const query = resource.model.query({ client }) as Query
  whereSql(query, resource.key.is(resource.key.of(record.$original), dialectOf(client)))
  return query
}

function ensureOne([affected]: number[], resource: Resource) {
  if (affected !== 1) {
    throw new Error(`A write to one ${resource.name} would have affected ${affected} rows`)
  }
}
