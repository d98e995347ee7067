import type { LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { fieldsOf } from '#base/columns/fields'
import { isObject } from '#base/checks'
import { orderOf, orderTerms } from '#base/columns/sort'
import { listed, ValueError } from '#base/errors'
import { strictConditions } from '../request/strict_filters.js'
import { shownFields, selectIncludes } from '../request/item_request.js'
import { forbidden } from '#base/http/access_problems'
import type { Item } from '../types.js'
import {
  type FindOptions,
  type ReadOptions,
  type SelectOptions,
  clientFor,
} from './call_options.js'
import { includeRelated, includeColumns } from './include.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'

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

/** Reads the first record that matches the filters. See `LucidCrud.find`. */
export async function findRecordBy(
  records: Records,
  filters: Record<string, unknown>,
  options: FindOptions
): Promise<LucidRow | null> {
  const { resource } = records
  const client = await clientFor(resource, options)
  const related = await relatedInCode(resource, filters, { ...options, client })
  const conditions = strictConditions(resource, filters, related)
  const { deleted = 'exclude', lock } = options
  const matching = records.byConditions({ conditions, deleted }, client, options)
  const order = orderTerms(resource.table, orderOf([], resource.key.columns), dialectOf(client))
  const first = { ...matching, order, limit: 1, lock: lock && client.isTransaction }
  const [record] = await records.reader.records(client, first)
  if (record) await records.authorize('read', options, record)
  return record ?? null
}

/** True for an object of filters; keys are texts, numbers, dates, bytes or arrays. */
export function isFilters(value: unknown): value is Record<string, unknown> {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

/* Names of the options of a read, including options of a request that reads ignore */
const FIND_OPTIONS = [
  ...['client', 'joins', 'actor', 'origin', 'budget', 'showsDeleted', 'files', 'precondition'],
  ...['deleted', 'lock'],
]

/** @throws ValueError  for an unknown option, which could be a filter in the wrong place */
export function checkFindOptions(model: string, options: object): void {
  for (const name of Object.keys(options)) {
    if (FIND_OPTIONS.includes(name)) continue
    throw new ValueError(
      `${model}: find has no option '${name}'; options are ${listed(FIND_OPTIONS)}`
    )
  }
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
