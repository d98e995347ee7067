import type { LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { fieldsOf } from '#base/columns/fields'
import { shownFields } from '../request/shown_fields.js'
import { selectIncludes } from '../request/item_request.js'
import { forbidden } from '#base/http/problems'
import type { Item } from '../types.js'
import type { FindOptions, ReadOptions, SelectOptions } from './call_options.js'
import { clientFor } from './client_for.js'
import { includeRelated, includeColumns } from './include.js'
import type { Records } from './records.js'

/** Reads one item. See `LucidCrud.get`. */
export async function readItem(
  records: Records,
  key: unknown,
  options: ReadOptions
): Promise<Item | null> {
  const { resource } = records
  if (!resource.permits('read')) throw forbidden()
  const client = await clientFor(resource, options)
  const fields = shownFields(resource, fieldsOf(resource, options.fields))
  const include = selectIncludes(resource, options.include)
  const one = records.byKey(resource.key.fromCode(key), client, options)
  const found = await records.reader.findOne(client, one, {
    fields,
    extras: includeColumns(include, resource.table, dialectOf(client)),
    authorize: records.recordAuthorizer('read', options),
  })
  if (found) await includeRelated([found], include, client, options)
  return found && found.item
}

/** Reads one record. See `LucidCrud.find`. */
export async function findRecord(
  records: Records,
  key: unknown,
  options: FindOptions
): Promise<LucidRow | null> {
  const { resource } = records
  const client = await clientFor(resource, options)
  const one = records.byKey(resource.key.fromCode(key), client, options)
  const record = await records.reader.record(client, one)
  if (record) await records.authorize('read', options, record)
  return record
}

/** Reads several records. See `LucidCrud.findMany`. */
export async function findRecords(
  records: Records,
  keys: readonly unknown[],
  options: SelectOptions
): Promise<LucidRow[]> {
  const client = await clientFor(records.resource, options)
  const found = await records.locateMany(keys, client, options, false)
  for (const record of found) await records.authorize('read', options, record)
  return found
}
