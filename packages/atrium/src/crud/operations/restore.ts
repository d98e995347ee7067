import type { LucidRow } from '@adonisjs/lucid/types/model'
import { saveRecord, stampUpdate } from '../lucid/record_writes.js'
import type { CallOptions } from './call_options.js'
import type { CrudContext } from './crud_context.js'
import { runWriteOfMany } from './writes/write_transaction.js'

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
