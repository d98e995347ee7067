import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { nothingStored } from '#base/http/problems'
import { whereSql } from '#base/sql/sql'
import type { Resource } from '../resource/resource.js'
import { takeChanges } from '#upstream/lucid_save_steps'

/*
 * Lucid's save() and delete() use only one key column: on a composite key they would change every row that shares it.
 * These functions do the same, including hooks, with all key columns in the condition.
 */

/**
 * Writes the changes of a record to its row.
 *
 * @throws Problem 409 or Error  when not exactly one row was changed; the transaction must be rolled back
 */
export async function updateByKey(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  const { $hooks } = resource.model

  await $hooks.runner('before:update').run(record)
  await $hooks.runner('before:save').run(record)
  const changes = takeChanges(record)
  if (!changes) return
  if (Object.keys(changes).length > 0) {
    const affected = await ownRow(record, resource, client).update(changes)
    ensureOne(affected as unknown as number[], resource)
  }
  record.$hydrateOriginals()

  await $hooks.runner('after:update').run(record)
  await $hooks.runner('after:save').run(record)
}

/**
 * Deletes the row of a record.
 *
 * @throws Problem 409 or Error  when not exactly one row was deleted; the transaction must be rolled back
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
  record.$isDeleted = true
  await $hooks.runner('after:delete').run(record)
}

/**
 * Returns the query of the record's row. Uses the key as it was read, because a hook can have changed the attributes.
 */
function ownRow(record: LucidRow, resource: Resource, client: TransactionClientContract): Query {
  const query = resource.model.query({ client }) as Query
  whereSql(query, resource.key.is(resource.key.of(record.$original), dialectOf(client)))
  return query
}

function ensureOne([affected]: number[], resource: Resource) {
  if (affected === 0) throw nothingStored()
  if (affected !== 1) {
    throw new Error(`A write to one ${resource.name} affected ${affected} rows, and is rolled back`)
  }
}
