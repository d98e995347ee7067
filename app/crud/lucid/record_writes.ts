import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { deleteByKey, updateByKey } from './composite_key_writes.js'
import { dialectOf } from '../database/dialects.js'
import { writeDirectly } from './direct_writes.js'
import type { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'
import { now } from '../resource/soft_delete.js'

/**
 * Stores the new record. What Lucid would get wrong about its key is put right. [A9]
 */
export async function insertRecord(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  keepTrueKey(record, resource, client)
  writeDirectly(record, resource)
  await record.save()
  await sharpenKey(record, resource, client)
}

/**
 * Writes what has changed of the record, by all columns of its key. [A9]
 */
export async function saveRecord(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  if (resource.key.isComposite) return await updateByKey(record, resource, client)
  writeDirectly(record, resource)
  await record.save()
}

/**
 * Removes the record, by all columns of its key. [A9]
 */
export async function removeRecord(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  if (resource.key.isComposite) await deleteByKey(record, resource, client)
  else await record.delete()
}

/**
 * Sets the timestamps that the body may not set and nothing else would: those that must not be
 * null, have no default and are not Lucid's.
 */
export function stampNew(record: LucidRow, resource: Resource): void {
  const attributes = record as unknown as Record<string, unknown>
  for (const column of resource.columns.all) {
    const isTimestamp = column === resource.updatedAt || column.name === 'created_at'
    const isLeftOut = attributes[column.attribute] === undefined && !column.automatic
    if (isTimestamp && isLeftOut && !column.nullable && !column.hasDefault) {
      attributes[column.attribute] = now(column)
    }
  }
}

/**
 * Sets the timestamp of the last update, where there is one. [A23]
 */
export function stampUpdate(record: LucidRow, { updatedAt }: Resource): void {
  if (updatedAt) {
    ;(record as unknown as Record<string, unknown>)[updatedAt.attribute] = now(updatedAt)
  }
}

/**
 * To find what has changed, Lucid compares Buffers by their text, and bytes that are no UTF-8 all
 * have the same. Another class makes the old bytes different from any new ones.
 */
export function tellBytesApart({ $original }: LucidRow): void {
  for (const [attribute, value] of Object.entries($original)) {
    if (Buffer.isBuffer(value)) $original[attribute] = new Uint8Array(value)
  }
}

/**
 * After an insert Lucid takes the number of the new row for the key, even where the key is text.
 * What the caller or a hook gave stays; what the database made, other than a number it counted up,
 * is asked back, or asked for before where the database would not tell.
 */
function keepTrueKey(record: LucidRow, { key }: Resource, client: TransactionClientContract) {
  const isGiven = () => key.of(record).every((part) => part !== undefined && part !== null)

  const queryFor = record.$getQueryFor.bind(record) as (...args: unknown[]) => any
  record.$getQueryFor = (action: string, own: QueryClientContract) => {
    const query = queryFor(action, own)
    if (action === 'insert' && !isGiven() && !key.columns[0].autoIncrement) {
      const { keyToInsert } = dialectOf(client)
      if (!keyToInsert) query.knexQuery.returning(key.columns.map((column) => column.name))
      else makeKeyFirst(query, record, key.columns[0], () => keyToInsert(client, key.columns[0]))
    }
    return query
  }
  const consume = record.$consumeAdapterResult.bind(record)
  record.$consumeAdapterResult = (result, sideloaded) => {
    if (!isGiven()) consume(result, sideloaded)
  }
}

/** All hooks of the model have run when the query is executed: none of them gave a key. */
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

/**
 * A number that the database counted up beyond 2^53 reaches Lucid rounded.
 */
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
