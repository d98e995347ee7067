import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { saveRecord, stampUpdate, makeBytesComparable } from '../lucid/record_writes.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import { attachRelated } from './related/attach.js'
import { type UpdateOptions, clientFor } from './call_options.js'
import { noteKey } from '#base/items'
import { checkFiles } from './writes/check_files.js'
import { checkReferences } from './writes/check_references.js'
import { checkTransitions } from './writes/check_transitions.js'
import type { CrudContext } from './crud_context.js'
import { callAfter, pivotsBefore, runWrite } from './writes/record_path.js'
import { withoutKeys, updatedValues } from './writes/written_fields.js'
import { updateRow } from './writes/statement_path.js'
import { changesByStatement } from './writes/write_path.js'

type Values = Record<string, unknown>

/** Changes an item. See `LucidCrud.update`. */
export async function updateItem(
  context: CrudContext,
  key: unknown,
  values: Values,
  wanted: UpdateOptions
): Promise<Item | null> {
  const { methods, records, resource } = context
  const { located, related, ...options } = wanted
  const ownClient = await clientFor(resource, options)
  const row = await changesByStatement(context, values, ownClient, wanted)
  if (row) {
    const changed = await updateRow(context, key, row, values, ownClient, options)
    return itemOfRow(resource, changed, options)
  }
  return await runWrite(context, options, async (client, attempt) => {
    const record = located ?? (await records.locate(key, client, options))
    attempt.record = record
    const written = await decidedValues(context, record, values, client, options)
    const own = { ...options, client }
    const pivots = await pivotsBefore(context, 'update', record, related !== undefined)
    const changes = withoutKeys(resource, await methods.prepareUpdate(written, record, own))
    const isChanged = Object.keys(changes).length > 0
    if (isChanged) await saveChanges(context, record, changes, client, options)
    await attachRelated(context, 'update', record, related, client, options)
    await callAfter(context, 'afterUpdate', record, written, own)
    await pivots?.note(client)
    return await readUpdated(context, record, isChanged, client, options)
  })
}

function itemOfRow(
  resource: Resource,
  row: Values,
  { returning, written }: UpdateOptions
): Item | null {
  if (!returning && !written) return null
  const item = noteKey(resource.reader.itemOfRow(row)!, resource.key.ofRow(row))
  written?.(item)
  return returning ? item : null
}

/**
 * Performs the checks of `updateItem` without writing anything. Hooks of the model do not run.
 *
 * @param record  record of `locateBy`; the values are assigned to it
 * @returns true if any value would be written
 * @throws Problem 403, 409 or 422
 */
export async function tryUpdate(
  context: CrudContext,
  record: LucidRow,
  values: Values,
  client: TransactionClientContract,
  options: UpdateOptions
): Promise<boolean> {
  const written = await decidedValues(context, record, values, client, options)
  const prepared = await context.methods.prepareUpdate(written, record, { ...options, client })
  const changes = withoutKeys(context.resource, prepared)
  const isChanged = Object.keys(changes).length > 0
  if (isChanged) await takeChanges(context, record, changes, client, options)
  return isChanged
}

/** Returns the values that the actor is allowed to write to the record. */
async function decidedValues(
  { records, resource }: CrudContext,
  record: LucidRow,
  values: Values,
  client: TransactionClientContract,
  options: UpdateOptions
): Promise<Values> {
  await records.authorize('update', options, record)
  await records.authorizeReach('update', [record], client, options)
  await options.precondition?.(await records.seen(record, client, options))
  const written = await updatedValues(resource, values, record, client, options)
  checkFiles(resource, written, record, options)
  return written
}

async function saveChanges(
  context: CrudContext,
  record: LucidRow,
  changes: Values,
  client: TransactionClientContract,
  options: UpdateOptions
): Promise<void> {
  await takeChanges(context, record, changes, client, options)
  stampUpdate(record, context.resource)
  await saveRecord(record, context.resource, client)
}

async function takeChanges(
  { records, resource }: CrudContext,
  record: LucidRow,
  changes: Values,
  client: TransactionClientContract,
  options: UpdateOptions
): Promise<void> {
  makeBytesComparable(record)
  record.merge(changes as any)
  await checkTransitions(resource, record, client, options)
  /* The policy can allow the current row, and refuse the updated one. */
  await records.authorize('update', options, record)
  await checkReferences(resource, record, client, options)
}

/** Reads the updated item if the caller requests it, or if the scope could hide the item from its writer. */
async function readUpdated(
  { records }: CrudContext,
  record: LucidRow,
  isChanged: boolean,
  client: TransactionClientContract,
  options: UpdateOptions
): Promise<Item | null> {
  const mustBeLeft = options.returning || (isChanged && records.narrows('update'))
  const item = mustBeLeft
    ? await records.readBack('update', record, client, options)
    : options.written && (await records.find(record, client, options))
  const isWanted = options.returning || options.written
  if (!item || !isWanted || !(await records.allows('read', options, record))) return null
  options.written?.(item)
  return options.returning ? item : null
}
