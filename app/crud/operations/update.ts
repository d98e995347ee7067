import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { saveRecord, stampUpdate, makeBytesComparable } from '../lucid/record_writes.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import type { UpdateOptions } from './call_options.js'
import { checkFiles } from './check_files.js'
import { checkReferences } from './check_references.js'
import type { CrudContext } from './crud_context.js'
import { callAfter, pivotsBefore } from './own_code.js'
import { omit } from './omit.js'
import { runWrite } from './write_transaction.js'
import { updatedValues } from './written_fields.js'

type Values = Record<string, unknown>

/** Changes an item. See `LucidCrud.update`. */
export async function updateItem(
  context: CrudContext,
  key: unknown,
  values: Values,
  options: UpdateOptions
): Promise<Item | null> {
  const { methods, records, resource } = context
  return await runWrite(context, options, async (client, attempt) => {
    const record = await records.locate(key, client, options)
    attempt.record = record
    await records.authorize('update', options, record)
    await records.authorizeReach('update', [record], client, options)
    await options.precondition?.(await records.seen(record, client, options))
    const written = await updatedValues(resource, values, record, client, options)
    checkFiles(resource, written, record, options)
    const own = { ...options, client }
    const pivots = await pivotsBefore(context, 'update', record)
    const changes = withoutKeys(resource, await methods.prepareUpdate(written, record, own))
    const isChanged = Object.keys(changes).length > 0
    if (isChanged) await saveChanges(context, record, changes, client, options)
    await callAfter(context, 'afterUpdate', record, written, own)
    await pivots?.note(client)
    return await readUpdated(context, record, isChanged, client, options)
  })
}

async function saveChanges(
  { records, resource }: CrudContext,
  record: LucidRow,
  changes: Values,
  client: TransactionClientContract,
  options: UpdateOptions
): Promise<void> {
  makeBytesComparable(record)
  record.merge(changes as any)
  /* The policy may allow the present row, and refuse the updated one. */
  await records.authorize('update', options, record)
  await checkReferences(resource, record, client, options)
  stampUpdate(record, resource)
  await saveRecord(record, resource, client)
}

/** Reads the updated item if the caller wants it, or if the scope may hide it from its writer. */
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

/** Lucid accepts a column's name for its attribute's as well. */
function withoutKeys({ key }: Resource, values: Values): Values {
  return omit(
    values,
    key.columns.flatMap((column) => [column.attribute, column.name])
  )
}
