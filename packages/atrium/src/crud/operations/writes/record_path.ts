import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { ambientActor, refuseReadOnlyToken } from '#base/actor'
import { inSharedTransaction } from '#base/database/shared_transaction'
import { inTransaction } from '#base/database/transaction'
import { Problem } from '#base/errors'
import { gatherWrites } from '../../events/write_scope.js'
import { isReadOnly, registeredByDeleted } from '#base/http/problems'
import type { GrantedOperation } from '../../resource/permissions.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import { type CallOptions, clientFor, type HookOptions } from '../call_options.js'
import type { CrudContext } from '../crud_context.js'
import { errorToProblem } from './error_to_problem.js'
import { readCondition } from '#base/columns/condition'
import type { Column } from '#base/columns/column'
import { attributeToApi, isSame } from '#base/values/to_api'
import { Pivots } from '../../events/pivots.js'
import { forgetStoredRow } from '../../lucid/stored_rows.js'
import { runsMethods } from './write_path.js'

/** Calls `afterCreate` or `afterUpdate` if a subclass overrides it. The method can change the row again. */
export async function callAfter(
  { methods, overrides }: CrudContext,
  method: 'afterCreate' | 'afterUpdate',
  record: LucidRow,
  values: Record<string, unknown>,
  options: HookOptions
): Promise<void> {
  if (!overrides(method)) return
  await methods[method](record, values, options)
  forgetStoredRow(record)
}

/**
 * Reads the many-to-many relations of a record before a write, for the comparison after it.
 *
 * @param isAttaching  true if the write itself changes the relations
 * @returns undefined if the relations cannot change: the write does not change them, and no application code runs
 */
export async function pivotsBefore(
  context: CrudContext,
  action: 'create' | 'update',
  record: LucidRow,
  isAttaching: boolean
): Promise<Pivots | undefined> {
  const mayChange = isAttaching || runsMethods(context, action)
  const isNew = action === 'create'
  return mayChange ? await Pivots.of(context.resource, record, { isNew }) : undefined
}

/**
 * The record that a write is about to store, or a function that creates it. Its columns are used to explain an error of
 * the driver.
 */
export interface Attempt {
  record?: LucidRow | (() => Promise<LucidRow | undefined>)
}

/**
 * Runs a write in a transaction and converts an error of the driver to a problem. If the caller's client is a
 * transaction, the write runs in a savepoint, unless the option `joins` is set.
 *
 * @param begin  starts a separate transaction for the work, or shares one
 * @throws Problem, or any other error of the work
 */
export async function runWrite<Result>(
  context: CrudContext,
  options: CallOptions,
  work: (client: TransactionClientContract, attempt: Attempt) => Promise<Result>,
  begin = inSharedTransaction
): Promise<Result> {
  const { resource } = context
  const client = await clientFor(resource, options)
  refuseReadOnlyToken(options.actor ?? ambientActor())
  if (resource.readOnly) throw isReadOnly(resource.readOnly)
  const { actor, joins, origin } = options
  const attempt: Attempt = {}
  const write = (transaction: TransactionClientContract) =>
    gatherWrites(transaction, { model: resource.model, actor, origin }, () =>
      work(transaction, attempt)
    )
  try {
    const isJoined = joins === true && client.isTransaction
    return isJoined ? await write(client as TransactionClientContract) : await begin(client, write)
  } catch (error) {
    throw await explained(error, context, attempt, client, options)
  }
}

/** Returns the problem for an error of the driver, or the error itself if there is none. */
export async function explained(
  error: unknown,
  context: CrudContext,
  { record }: Attempt,
  client: QueryClientContract,
  options: CallOptions
): Promise<unknown> {
  if (error instanceof Problem) return error
  const attempted = typeof record === 'function' ? await record().catch(() => undefined) : record
  return (await writeProblem(error, context, attempted, client, options)) ?? error
}

/**
 * Writes several records, all of them or none.
 *
 * @returns the records, as they were read
 * @throws UnknownKey  for the first key without a record
 * @throws Problem 403  when the operation is not allowed on one of them
 */
export async function runWriteOfMany(
  context: CrudContext,
  operation: GrantedOperation,
  keys: readonly unknown[],
  options: CallOptions & { deleted: DeletedMode },
  work: (record: LucidRow, client: TransactionClientContract) => Promise<void>
): Promise<LucidRow[]> {
  const write = async (client: TransactionClientContract, attempt: Attempt) => {
    const records = await context.records.locateMany(keys, client, options, true)
    await context.records.authorizeReach(operation, records, client, options)
    for (const record of records) {
      attempt.record = record
      await context.records.authorize(operation, options, record)
      await work(record, client)
    }
    return records
  }
  /* Many writes take long, and other writes in a shared transaction would wait for the commit. */
  return await runWrite(
    context,
    options,
    write,
    keys.length > 1 ? inTransaction : inSharedTransaction
  )
}

/**
 * Calls `errorToProblem`. A 409 additionally names the deleted item that has the unique values, if the actor can see
 * it.
 *
 * @param record  the record that was being written; undefined for a deletion
 */
async function writeProblem(
  error: unknown,
  context: CrudContext,
  record: LucidRow | undefined,
  client: QueryClientContract,
  options: CallOptions
): Promise<Problem | undefined> {
  const problem = await errorToProblem(error, context.resource, record, client)
  const columns = problem && record ? uniqueColumnsOf(problem, context) : []
  if (!problem || columns.length === 0) return problem
  const deleted = await deletedHolder(columns, context, record!, client, options)
  if (!deleted) return problem
  const { key } = context.resource
  return registeredByDeleted(
    problem,
    Object.fromEntries(
      key.columns.map((column) => [column.apiName, attributeToApi(column, deleted)])
    )
  )
}

/** Returns the columns of the violated constraint; none if the caller is not allowed to see all of them. */
function uniqueColumnsOf({ errors = [] }: Problem, { resource }: CrudContext): Column[] {
  const columns = resource.fields.filter(({ apiName }) =>
    errors.some(({ field, rule }) => field === apiName && rule === 'unique')
  )
  const names = columns.map(({ name }) => name).toSorted()
  const keys = [resource.key.columns.map(({ name }) => name), ...resource.wholeKeys]
  return keys.some((key) => isSame(key.toSorted(), names)) ? columns : []
}

async function deletedHolder(
  columns: readonly Column[],
  { records, resource }: CrudContext,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<LucidRow | null> {
  const { key, showDeleted, softDelete } = resource
  if (!softDelete || !(options.showsDeleted ?? showDeleted)) return null
  if (key.columns.some(({ hidden }) => hidden)) return null
  const values = columns.map((column) => attributeToApi(column, record))
  if (values.some((value) => value === null || value === undefined)) return null
  const conditions = columns.map((column, index) =>
    readCondition(column, 'eq', String(values[index]))
  )
  const wanted = { conditions, deleted: 'only' as const }
  const found = records.byConditions(wanted, client, options)
  const [holder] = await records.reader.records(client, { ...found, limit: 1 })
  return holder && (await records.allows('read', options, holder)) ? holder : null
}
