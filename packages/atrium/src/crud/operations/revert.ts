import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fromStored } from '#base/values/stored_json'
import { writtenColumns, type Reversal } from '../events/reversal.js'
import { forbidden } from '#base/http/access_problems'
import { stillReferredTo } from '#base/http/problems'
import { forgetStoredRow, noteStoredRow, storedRowOf } from '../lucid/stored_rows.js'
import {
  insertRecord,
  makeBytesComparable,
  removeRecord,
  saveRecord,
  stampNew,
  stampUpdate,
} from '../lucid/record_writes.js'
import type { Column } from '#base/columns/column'
import { type KeyValue, identityOf } from '#base/columns/key'
import type { GrantedOperation } from '../resource/permissions.js'
import type { Resource } from '../resource/resource.js'
import { RecordChangedSince } from '#base/errors'
import type { CallOptions } from './call_options.js'
import { checkReferences } from './writes/check_references.js'
import { checkTransitions } from './writes/check_transitions.js'
import type { CrudContext } from './crud_context.js'
import { recordsChangedSince, restorePivotRows, putExactly } from './writes/revert_state.js'
import { runsOwnCode } from './writes/write_path.js'
import { removeAddedRows } from '#base/database/pivot_change'
import { runWrite, type Attempt } from './writes/record_path.js'
import { unwritableColumns } from './writes/written_fields.js'
import { dialectOf } from '#base/database/dialects'
import { identityIn, modelOf, rowsReferring } from '../events/caused_writes.js'
import { incomingReferences, type IncomingReference } from '../resource/incoming_references.js'

type Row = Record<string, unknown>

export interface RevertOptions extends CallOptions {
  /** Names of columns that `putExactly` sets later on a record that is restored */
  postponed?: ReadonlySet<string>
  /** The record, if `recordsToRevert` has already read it in the same transaction */
  located?: LucidRow
  /**
   * The transaction that reverts a whole event, and in which `recordsChangedSince` has found no changed record. Records
   * are written without a savepoint, and errors of the driver are thrown unchanged. The caller reverts pivot rows:
   * `removeAddedRows` before all records, `revertPivots` after them
   */
  whole?: TransactionClientContract
  /** Other records that the same revert deletes, by `identityIn`: references from them do not prevent the deletion */
  removed?: ReadonlySet<string>
  /** True to only check whether the actor is allowed to remove the record */
  isDryRun?: boolean
}

/** Returns the operation that reverts a write. */
export function operationOf({ base }: Resource, { before, left }: Reversal): GrantedOperation {
  if (left === null) return 'create'
  const { softDelete } = base
  if (before === null) return softDelete ? 'db_delete' : 'delete'
  const mark = softDelete && (softDelete.flag ?? softDelete.timestamp!)
  if (!mark || !(mark.name in before)) return 'update'
  return softDelete.marks(attributesOf(base, before)) ? 'delete' : 'restore'
}

/** Restores the state of a record before a write. See `LucidCrud.revert`. */
export async function revertItem(
  context: CrudContext,
  key: KeyValue,
  reversal: Reversal,
  options: RevertOptions
): Promise<void> {
  const { whole } = options
  const work = async (client: TransactionClientContract, attempt: Attempt) => {
    if (!whole) {
      await checkLeft(context.resource, key, reversal, client)
      await removeAddedRows(reversal.pivots, client)
    }
    if (reversal.left === null) await bringBack(context, reversal.before!, client, options, attempt)
    else if (reversal.before === null) await takeAway(context, key, reversal, client, options)
    else await putBack(context, key, reversal, client, options, attempt)
    if (!whole) await revertPivots(context.resource, key, reversal, client, options)
  }
  if (!whole || reversal.before === null) return await runWrite(context, options, work)
  await context.resource.load(whole)
  await work(whole, {})
}

/**
 * Reads and locks records that are going to be reverted, without those that the actor cannot see.
 *
 * @returns records by `identityOf`; empty if application code or triggers run with each write, as they can change
 *   records that are reverted later
 */
export async function recordsToRevert(
  context: CrudContext,
  keys: readonly KeyValue[],
  options: CallOptions & { client: QueryClientContract }
): Promise<ReadonlyMap<string, LucidRow>> {
  const { records, resource } = context
  const { client } = options
  if (await runsOwnCode(context, client, ['update', 'delete'])) return new Map()
  const found = await records.findExisting(keys, client, { ...options, deleted: 'include' }, true)
  return new Map(found.map((record) => [identityOf(resource.key.of(record)), record]))
}

/** Restores pivot rows that a write removed. The records that they link have to exist already. */
export async function revertPivots(
  resource: Resource,
  key: KeyValue,
  { left, pivots }: Reversal,
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  await restorePivotRows(resource, key, pivots, client, options, { isNew: left === null })
}

/**
 * Checks that the actor can see every record that the earlier state refers to. Writes nothing.
 *
 * @throws Problem 409
 */
export async function checkReverted(
  resource: Resource,
  { before }: Reversal,
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  if (!before) return
  const record = new resource.model() as LucidRow
  record.merge(attributesOf(resource, before) as any)
  await checkReferences(resource, record, client, options)
}

/** @throws RecordChangedSince */
async function checkLeft(
  resource: Resource,
  key: KeyValue,
  reversal: Reversal,
  client: TransactionClientContract
): Promise<void> {
  const changed = await recordsChangedSince(resource, [{ key, reversal }], client)
  if (changed.length > 0) throw new RecordChangedSince(key)
}

async function bringBack(
  { records, resource }: CrudContext,
  before: Row,
  client: TransactionClientContract,
  options: RevertOptions,
  attempt: Attempt
): Promise<void> {
  if (!resource.permits('create')) throw forbidden()
  const { postponed = new Set() } = options
  const held = writtenColumns(resource).filter(({ name }) => name in before && !postponed.has(name))
  const stored = held.filter((column) => !resource.isStamp(column))
  const record = new resource.model() as LucidRow
  attempt.record = record
  record.useTransaction(client)
  const row = Object.fromEntries(stored.map(({ name }) => [name, before[name]]))
  record.merge(attributesOf(resource, row) as any)
  stampNew(record as never, resource)
  await records.authorize('create', options, record)
  await checkReferences(resource, record, client, options)
  await insertRecord(record, resource, client)
  const own = resource.base.softDelete
  const written = stored.filter(
    (column) =>
      before[column.name] !== null &&
      !column.isPrimary &&
      !column.automatic &&
      column.name !== 'created_at' &&
      column.name !== own?.flag?.name &&
      column.name !== own?.timestamp?.name
  )
  await refuseUnwritable(resource, 'create', written, record, client, options)
  await makeExact(resource, record, resource.key.of(record), row, client)
  if (records.narrows('create')) await records.readBack('create', record, client, options)
  if (postponed.size > 0) forgetStoredRow(record)
}

/** Sets the stored values exactly. Columns that the write has returned are not read again. */
async function makeExact(
  resource: Resource,
  record: LucidRow,
  key: KeyValue,
  wanted: Row,
  client: TransactionClientContract
): Promise<void> {
  const row = await putExactly(resource, key, wanted, client, storedRowOf(record))
  if (row) noteStoredRow(record, row)
}

async function putBack(
  context: CrudContext,
  key: KeyValue,
  reversal: Reversal,
  client: TransactionClientContract,
  options: RevertOptions,
  attempt: Attempt
): Promise<void> {
  const { records, resource } = context
  const operation = operationOf(resource, reversal)
  const before = reversal.before!
  const record = await locate(context, operation, key, client, options)
  attempt.record = record
  const own = resource.base.softDelete
  const changed = writtenColumns(resource).filter(
    (column) => column.name in before && !resource.isStamp(column)
  )
  const written =
    operation === 'update'
      ? changed
      : changed.filter(({ name }) => name !== own?.flag?.name && name !== own?.timestamp?.name)
  await refuseUnwritable(resource, 'update', written, record, client, options)
  if (operation === 'delete') await context.methods.prepareDelete(record, { ...options, client })
  makeBytesComparable(record)
  const row = Object.fromEntries(changed.map(({ name }) => [name, before[name]]))
  record.merge(attributesOf(resource, row) as any)
  await checkTransitions(resource, record, client, options)
  /* The policy can allow the current row, and refuse the earlier one. */
  await records.authorize(operation, options, record)
  await checkReferences(resource, record, client, options)
  stampUpdate(record, resource)
  await saveRecord(record, resource, client)
  await makeExact(resource, record, key, row, client)
  if (written.length > 0 && records.narrows('update')) {
    await records.readBack('update', record, client, options)
  }
}

async function takeAway(
  context: CrudContext,
  key: KeyValue,
  reversal: Reversal,
  client: TransactionClientContract,
  options: RevertOptions
): Promise<void> {
  const { methods, resource } = context
  const { isDryRun: isDryRun, removed } = options
  const operation = operationOf(resource, reversal)
  if (removed && !(await resource.base.reader.stored(client, key))) return
  const record = await locate(context, operation, key, client, options)
  if (isDryRun) return
  if (await isReferredTo(resource, key, client, removed)) throw stillReferredTo()
  await methods.prepareDelete(record, { ...options, client })
  await removeRecord(record, resource, client)
}

/**
 * Returns the record if the actor is allowed to perform the operation on it.
 *
 * @throws Problem 403  also if the record is outside the actor's scope
 */
async function locate(
  { records, resource }: CrudContext,
  operation: GrantedOperation,
  key: KeyValue,
  client: TransactionClientContract,
  { located, ...options }: RevertOptions
): Promise<LucidRow> {
  if (!resource.permits(operation)) throw forbidden()
  const found = located ?? records.locate(key, client, options, 'include')
  const record = await Promise.resolve(found).catch((error) => {
    throw error.status === 404 ? forbidden() : error
  })
  await records.authorize(operation, options, record)
  await records.authorizeReach(operation, [record], client, options)
  return record
}

async function refuseUnwritable(
  resource: Resource,
  operation: 'create' | 'update',
  columns: readonly Column[],
  record: LucidRow,
  client: TransactionClientContract,
  options: CallOptions
): Promise<void> {
  const refused = await unwritableColumns(resource, operation, columns, record, client, options)
  if (refused.length > 0) throw forbidden()
}

/** Converts stored values to attributes of the model. */
function attributesOf({ base }: Resource, stored: Row): Row {
  const row = Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, fromStored(value)])
  )
  return base.reader.attributesOfRow(row)
}

/**
 * True if a row of any table refers to a record, other than the record itself: deleting the record could delete that
 * row or empty the reference in it.
 *
 * @param ignored  records whose references are ignored unless they prevent the deletion, by `identityIn`
 */
async function isReferredTo(
  { base }: Resource,
  key: KeyValue,
  client: QueryClientContract,
  ignored: ReadonlySet<string> = new Set()
): Promise<boolean> {
  const references = await incomingReferences(base, client)
  if (references.length === 0) return false
  const where = [base.key.is(key, dialectOf(client))]
  const [row] = await base.reader.rows(client, { where, limit: 1 })
  if (!row) return false
  const others = new Set([...ignored, identityIn(base, row)])
  for (const reference of references) {
    const child = modelOf(reference, base)
    const isReferred = child
      ? await refersFrom(child, reference, row, client, others)
      : await refersFromTable(base, reference, row, client)
    if (isReferred) return true
  }
  return false
}

async function refersFrom(
  child: Resource,
  reference: IncomingReference,
  row: Row,
  client: QueryClientContract,
  ignored: ReadonlySet<string>
): Promise<boolean> {
  const rows = await rowsReferring(child, reference, row, client, ignored.size + 1)
  return rows.some((one) => !ignored.has(identityIn(child, one)))
}

/** True if a row of a table without a model, such as a pivot table, refers to the record. */
async function refersFromTable(
  { table }: Resource,
  reference: IncomingReference,
  row: Row,
  client: QueryClientContract
): Promise<boolean> {
  const values = reference.references.map((name) => row[name] ?? null)
  if (values.includes(null)) return false
  const schema = table.includes('.') ? `${table.split('.')[0]}.` : ''
  const query = client.query().from(schema + reference.table)
  reference.columns.forEach((column, index) => query.where(column, values[index] as any))
  const found = await query.select(client.raw('1 as found') as any).limit(1)
  return found.length > 0
}
