import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { insertRecord, stampNew } from '../lucid/record_writes.js'
import { forbidden } from '../http/problems.js'
import type { Item } from '../types.js'
import type { CallOptions } from './call_options.js'
import { checkFiles } from './check_files.js'
import { checkReferences } from './check_references.js'
import type { CrudContext } from './crud_context.js'
import { noteKey, noteUnreadable } from './item_keys.js'
import { callAfter, pivotsBefore } from './own_code.js'
import { runWrite } from './write_transaction.js'
import { checkCreated, createdValues } from './written_fields.js'

/** Stores a new item. See `LucidCrud.create`. */
export async function createItem(
  context: CrudContext,
  values: Record<string, unknown>,
  options: CallOptions
): Promise<Item> {
  const { methods, records, resource } = context
  return await runWrite(context, options, async (client, attempt) => {
    if (!resource.permits('create')) throw forbidden()
    const written = createdValues(resource, values)
    checkFiles(resource, written, undefined, options)
    const record = new resource.model() as LucidRow
    attempt.record = record
    record.useTransaction(client)
    const own = { ...options, client }
    const pivots = await pivotsBefore(context, 'create', record)
    record.merge((await methods.prepareCreate(written, own)) as any)
    stampNew(record, resource)
    await records.authorize('create', options, record)
    await checkReferences(resource, record, client, options)
    await insertRecord(record, resource, client)
    await callAfter(context, 'afterCreate', record, written, own)
    await pivots?.note(client)
    await checkCreated(resource, written, record, client, options)
    return await readCreated(context, record, client, options)
  })
}

/** Marks an item that its creator may not read, as the answer must not show it. [P14] */
async function readCreated(
  { records, resource }: CrudContext,
  record: LucidRow,
  client: TransactionClientContract,
  options: CallOptions
): Promise<Item> {
  const key = resource.key.of(record)
  const item = await records.readBack('create', record, client, options)
  if (!item) return noteUnreadable(noteKey({}, key))
  const isReadable = await records.maySee(key, client, options)
  return isReadable ? item : noteUnreadable(item)
}
