import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { insertRecord, stampNew } from '../lucid/record_writes.js'
import { forbidden } from '#base/http/access_problems'
import { isReadOnly } from '#base/http/problems'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import { attachRelated } from './related/attach.js'
import {
  type CallOptions,
  type CreateOptions,
  type HookOptions,
  clientFor,
} from './call_options.js'
import { checkFiles } from './writes/check_files.js'
import { checkReferences } from './writes/check_references.js'
import type { CrudContext } from './crud_context.js'
import { noteKey, noteUnreadable } from '#base/items'
import { callAfter, pivotsBefore, runWrite } from './writes/record_path.js'
import { insertRow } from './writes/statement_path.js'
import { rowByStatement } from './writes/write_path.js'
import { checkCreated, createdValues } from './writes/written_fields.js'

/** Stores a new item. See `LucidCrud.create`. */
export async function createItem(
  context: CrudContext,
  values: Record<string, unknown>,
  { related, ...options }: CreateOptions
): Promise<Item> {
  const { resource } = context
  const ownClient = await clientFor(resource, options)
  const written = decidedForCreate(resource, values, options)
  const row = await rowByStatement(context, written, ownClient, { ...options, related })
  if (row) {
    const stored = await insertRow(context, row, written, ownClient, options)
    return await itemOfRow(context, stored, ownClient, options)
  }
  return await runWrite(context, options, async (client, attempt) => {
    const record = new resource.model() as LucidRow
    attempt.record = record
    record.useTransaction(client)
    const own = { ...options, client }
    const pivots = await pivotsBefore(context, 'create', record, related !== undefined)
    await takeValues(context, record, written, own)
    await insertRecord(record, resource, client)
    await attachRelated(context, 'create', record, related, client, options)
    await callAfter(context, 'afterCreate', record, written, own)
    await pivots?.note(client)
    await checkCreated(resource, written, record, client, options)
    return await readCreated(context, record, client, options)
  })
}

/**
 * Performs the checks of `createItem` without writing anything. Hooks of the model do not run.
 *
 * @returns the record as it would be written, without values that hooks and the database set
 * @throws Problem 403, 409 or 422
 */
export async function tryCreate(
  context: CrudContext,
  values: Record<string, unknown>,
  client: TransactionClientContract,
  options: CreateOptions
): Promise<LucidRow> {
  const record = new context.resource.model() as LucidRow
  const written = decidedForCreate(context.resource, values, options)
  await takeValues(context, record, written, { ...options, client })
  return record
}

/**
 * Returns the values that the actor is allowed to write.
 *
 * @throws Problem 403 or 422
 */
export function decidedForCreate(
  resource: Resource,
  values: Record<string, unknown>,
  options: CallOptions
): Record<string, unknown> {
  if (resource.readOnly) throw isReadOnly(resource.readOnly)
  if (!resource.permits('create')) throw forbidden()
  const written = createdValues(resource, values)
  checkFiles(resource, written, undefined, options)
  return written
}

async function takeValues(
  { methods, records, resource }: CrudContext,
  record: LucidRow,
  written: Record<string, unknown>,
  options: HookOptions
): Promise<void> {
  record.merge((await methods.prepareCreate(written, options)) as any)
  stampNew(record as never, resource)
  await records.authorize('create', options, record)
  await checkReferences(resource, record, options.client, options)
}

async function itemOfRow(
  { records, resource }: CrudContext,
  row: Record<string, unknown>,
  client: QueryClientContract,
  options: CallOptions
): Promise<Item> {
  const key = resource.key.ofRow(row)
  const item = noteKey(resource.reader.itemOfRow(row)!, key)
  return withReadability(item, await records.maySee(key, client, options))
}

/**
 * Reads the new item, and marks it as unreadable if its creator is not allowed to read it: the response must not show
 * it.
 */
async function readCreated(
  { records, resource }: CrudContext,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<Item> {
  const key = resource.key.of(record)
  const item = await records.readBack('create', record, client, options)
  if (!item) return noteUnreadable(noteKey({}, key))
  return withReadability(item, await records.maySee(key, client, options))
}

function withReadability(item: Item, isReadable: boolean): Item {
  return isReadable ? item : noteUnreadable(item)
}
