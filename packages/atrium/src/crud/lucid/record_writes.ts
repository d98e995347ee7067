import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { writeDirectly, ensured } from './direct_writes.js'
import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import { storageRefused, nothingStored } from '#base/http/problems'
import { now } from '#base/columns/soft_delete'
import { newKey } from '#base/values/new_key'
import { keepGivenKey, makesOwnQueries, replaceQueries } from '#upstream/lucid_record_queries'
import type { Query } from '#base/database/dialect'
import { whereSql } from '#base/sql/sql'
import { takeChanges } from '#upstream/lucid_record_steps'

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
 * Returns the query of the record's row. Uses the key as it was read, because a hook may have changed the attributes.
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

/** Stores a new record, and corrects the key that Lucid sets. */
export async function insertRecord(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  keepTrueKey(record, resource, client)
  writeDirectly(record, resource)
  await record.save()
  await sharpenKey(record, resource, client)
  assertKey(
    resource.key.columns.filter(({ attribute }) => ((record as any)[attribute] ?? null) === null)
  )
}

/**
 * Refuses a new record without a key.
 *
 * @param missing  key columns of a new record that have no value
 * @throws Problem 422  if there are any
 */
export function assertKey(missing: readonly Column[]): void {
  if (missing.length === 0) return
  throw storageRefused(
    missing.map(({ apiName }) => ({
      field: apiName,
      rule: 'required',
      message: `The ${apiName} field is the key of the item, and nothing generates it: it must be defined`,
    }))
  )
}

/** Returns the key columns that have no value in a row to insert, and that the database does not generate. */
export function keyMissingIn(row: Record<string, unknown>, { key }: Resource): Column[] {
  return key.columns.filter(
    ({ autoIncrement, hasDefault, name }) =>
      (row[name] ?? null) === null && !autoIncrement && !hasDefault
  )
}

/** Writes the changes of a record, with all columns of its key in the condition. */
export async function saveRecord(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  if (resource.key.isComposite) return await updateByKey(record, resource, client)
  writeDirectly(record, resource)
  await record.save()
}

/** Deletes a record, with all columns of its key in the condition. */
export async function removeRecord(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  if (resource.key.isComposite) return await deleteByKey(record, resource, client)
  if (!makesOwnQueries(resource.model)) {
    replaceQueries(record, (action, _own, usual) => ensured(usual(), action))
  }
  await record.delete()
}

/**
 * Sets the key, if the engine generates keys and none is given, and timestamps that the body is not allowed to set and
 * that have no other source: those that are not nullable, have no default and are not set by Lucid.
 *
 * @param attributes  a new record, or its attributes by name
 */
export function stampNew(attributes: Record<string, unknown>, { base: resource }: Resource): void {
  const [key] = resource.key.columns
  if (resource.generatedKey) attributes[key.attribute] ??= newKey(resource.generatedKey)
  for (const column of resource.columns.all) {
    const isTimestamp = column === resource.updatedAt || column.name === 'created_at'
    const isLeftOut = attributes[column.attribute] === undefined && !column.automatic
    if (isTimestamp && isLeftOut && !column.nullable && !column.hasDefault) {
      attributes[column.attribute] = now(column)
    }
  }
}

/** Sets the timestamp of the last update, if the model has one. */
export function stampUpdate(record: LucidRow, { updatedAt }: Resource): void {
  if (updatedAt) {
    ;(record as unknown as Record<string, unknown>)[updatedAt.attribute] = now(updatedAt)
  }
}

/**
 * Converts old bytes to another class, so that they differ from any new bytes. To find changes, Lucid compares Buffers
 * by their text, which is the same for all bytes that are not UTF-8.
 */
export function makeBytesComparable({ $original }: LucidRow): void {
  for (const [attribute, value] of Object.entries($original)) {
    if (Buffer.isBuffer(value)) $original[attribute] = new Uint8Array(value)
  }
}

/**
 * Corrects the key after an insert: Lucid uses the number of the new row as the key, even for a text key. A key that
 * the caller or a hook sets is not changed; a key that the database generates, other than by auto-increment, is read
 * back, or generated before the insert if the database would not return it.
 */
function keepTrueKey(record: LucidRow, { key }: Resource, client: TransactionClientContract) {
  const isGiven = () => key.of(record).every((part) => part !== undefined && part !== null)

  replaceQueries(record, (action, _own, usual) => {
    const query = usual()
    if (action === 'insert' && !isGiven() && !key.columns[0].autoIncrement) {
      const { keyToInsert } = dialectOf(client)
      if (!keyToInsert) query.knexQuery.returning(key.columns.map((column) => column.name))
      else makeKeyFirst(query, record, key.columns[0], () => keyToInsert(client, key.columns[0]))
    }
    return query
  })
  keepGivenKey(
    record,
    key.columns.map(({ name }) => name),
    isGiven
  )
}

/**
 * Generates the key when the query is executed: by then, all hooks of the model have run, and none of them has set a
 * key.
 */
function makeKeyFirst(query: any, record: LucidRow, column: Column, make: () => Promise<unknown>) {
  const insert = query.insert.bind(query)
  const exec = query.exec.bind(query)
  let row: Record<string, unknown> = {}
  query.insert = (values: Record<string, unknown>) => insert((row = values))
  query.exec = async () => {
    const made = await make()
    if (made !== undefined) {
      insert({ ...row, [column.name]: made })
      record.$attributes[column.attribute] = made
    }
    return await exec()
  }
}

/** Reads an auto-increment key again if it exceeds 2^53, because Lucid receives it rounded. */
async function sharpenKey(
  record: LucidRow,
  { key }: Resource,
  client: TransactionClientContract
): Promise<void> {
  const [column] = key.columns
  if (!column.autoIncrement) return
  const attributes = record as unknown as Record<string, unknown>
  const reported = attributes[column.attribute]
  const exact = await dialectOf(client).insertedKey(client, reported)
  if (exact !== reported) attributes[column.attribute] = exact
}
