import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { removeRecord, saveRecord, stampUpdate } from '../lucid/record_writes.js'
import type { Resource } from '../resource/resource.js'
import type { CallOptions, WriteOptions } from './call_options.js'
import type { CrudContext } from './crud_context.js'
import { runWrite, runWriteOfMany } from './writes/record_path.js'

/** Restores several soft-deleted items. See `LucidCrud.restoreMany`. */
export async function restoreItems(
  context: CrudContext,
  keys: readonly unknown[],
  options: CallOptions
): Promise<LucidRow[]> {
  const { resource } = context
  const deletedOnly = { ...options, deleted: 'only' as const }
  return await runWriteOfMany(context, 'restore', keys, deletedOnly, async (record, client) => {
    record.merge(resource.softDelete!.unmark() as any)
    stampUpdate(record, resource)
    await saveRecord(record, resource, client)
  })
}

/** Deletes an item, softly or permanently. See `LucidCrud.delete` and `LucidCrud.dbDelete`. */
export async function deleteItem(
  context: CrudContext,
  key: unknown,
  options: WriteOptions,
  hard: boolean
): Promise<void> {
  await runWrite(context, options, async (client) => {
    const deleted = hard ? 'include' : 'exclude'
    const { records } = context
    const operation = hard ? 'db_delete' : 'delete'
    const record = await records.locate(key, client, options, deleted)
    await records.authorize(operation, options, record)
    await records.authorizeReach(operation, [record], client, options)
    await options.precondition?.(await records.seen(record, client, options))
    await deleteRecord(context, record, client, options, hard)
  })
}

/** Deletes several items in one transaction. See `LucidCrud.deleteMany`. */
export async function deleteItems(
  context: CrudContext,
  keys: readonly unknown[],
  options: CallOptions & { hard?: boolean }
): Promise<LucidRow[]> {
  const { hard = false } = options
  const operation = hard ? 'db_delete' : 'delete'
  const many = { ...options, deleted: hard ? 'include' : 'exclude' } as const
  return await runWriteOfMany(context, operation, keys, many, async (record, client) => {
    await deleteRecord(context, record, client, options, hard)
  })
}

async function deleteRecord(
  { methods, resource }: CrudContext,
  record: LucidRow,
  client: TransactionClientContract,
  options: CallOptions,
  hard: boolean
): Promise<void> {
  await methods.prepareDelete(record, { ...options, client })
  if (hard) await removeRecord(record, resource, client)
  else await markOrRemove(record, resource, client)
}

async function markOrRemove(
  record: LucidRow,
  resource: Resource,
  client: TransactionClientContract
): Promise<void> {
  const { softDelete } = resource
  if (!softDelete) return await removeRecord(record, resource, client)
  record.merge(softDelete.mark() as any)
  await saveRecord(record, resource, client)
}
