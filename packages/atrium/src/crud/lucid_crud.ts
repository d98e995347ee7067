import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { startTracing, traceMethods } from '#base/tracing'
import type { Reversal } from './events/reversal.js'
import type {
  CallOptions,
  CreateOptions,
  HookOptions,
  UpdateOptions,
  WriteOptions,
} from './operations/call_options.js'
import { LucidCrudWritesOfMany } from './operations/lucid_crud_writes_of_many.js'
import { createItem, tryCreate } from './operations/create.js'
import type { CrudContext } from './operations/crud_context.js'
import { deleteItem } from './operations/delete.js'
import { omit } from './operations/writes/written_fields.js'
import type { KeyValue } from '#base/columns/key'
import { Records } from './operations/records.js'
import { recordsToRevert, revertItem, type RevertOptions } from './operations/revert.js'
import {
  checkUnstored,
  type Unstored,
  type UnstoredVerdict,
} from './operations/writes/unstored_records.js'
import { tryUpdate, updateItem } from './operations/update.js'
import { revertTogether } from './operations/writes/bulk_writes.js'
import type { Resource } from './resource/resource.js'
import type { Item } from './types.js'

export type {
  CallOptions,
  HookOptions,
  ReadOptions,
  UpdateOptions,
  WriteOptions,
} from './operations/call_options.js'

/**
 * The operations on one model, which the endpoints, the admin site and application code share. Each write runs in a
 * transaction, or in the caller's if one is given, with the hooks of the model; policy and scope apply to every
 * operation.
 *
 * Values are passed by attribute name, as in Lucid; items are returned by API name. Methods that read are in
 * `LucidCrudReads`, those that write many items in `LucidCrudWritesOfMany`.
 */
export class LucidCrud<Model extends LucidModel = LucidModel> extends LucidCrudWritesOfMany<Model> {
  /**
   * Overridable: converts the values of a create, including virtual fields, to attributes of the model. The default
   * implementation removes the virtual fields.
   */
  prepareCreate(
    values: Record<string, unknown>,
    _options: HookOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /** Overridable: converts the values of an update to attributes of the model. */
  prepareUpdate(
    values: Record<string, unknown>,
    _record: LucidRow,
    _options: HookOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /**
   * Overridable: runs after a new record's row is written, in the same transaction (`options.client`). If it throws,
   * the error is the response and nothing is stored. Changes of the record's many-to-many relations are part of the
   * write for events and the log.
   *
   * @param values  values as they were passed to the create, including virtual fields
   */
  afterCreate(
    _record: LucidRow,
    _values: Record<string, unknown>,
    _options: HookOptions
  ): void | Promise<void> {}

  /** Overridable: runs after an update, even one that changes no column. */
  afterUpdate(
    _record: LucidRow,
    _values: Record<string, unknown>,
    _options: HookOptions
  ): void | Promise<void> {}

  /**
   * Overridable: runs before the record is deleted, softly or permanently, in the same transaction (`options.client`).
   * If it throws, the error is the response and nothing is deleted.
   */
  prepareDelete(_record: LucidRow, _options: HookOptions): void | Promise<void> {}

  /**
   * Stores a new item.
   *
   * @param values  values by attribute name
   * @returns the item, as `get` returns it
   * @throws Problem 403, 409 or 422
   */
  async create(values: Record<string, unknown>, options: CreateOptions = {}): Promise<Item> {
    return await createItem(await this.contextFor(options), values, options)
  }

  /**
   * Changes an item. An update without values changes nothing, not even the update timestamp.
   *
   * @param values  values by attribute name; a key is never changed
   * @returns the changed item if `returning` is set and the policy allows the actor to read it, otherwise null
   * @throws Problem 403, 404, 409 or 422
   */
  async update(
    key: unknown,
    values: Record<string, unknown>,
    options: UpdateOptions = {}
  ): Promise<Item | null> {
    return await updateItem(await this.contextFor(options), key, values, options)
  }

  /**
   * Deletes an item: marks it if soft delete is configured, otherwise removes it.
   *
   * @throws Problem 403, 404 or 409
   */
  async delete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await deleteItem(await this.contextFor(options), key, options, false)
  }

  /**
   * Removes an item permanently, soft-deleted or not.
   *
   * @throws Problem 403, 404 or 409
   */
  async dbDelete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await deleteItem(await this.contextFor(options), key, options, true)
  }

  /**
   * Restores the state of an item before a logged write: updates, restores, deletes or creates it according to the log.
   * Hooks, policy, scope and grants apply as for any write. The values are those of the log, and no schema validates
   * them.
   *
   * @param reversal  data of `reversalOf`
   * @throws RecordChangedSince  when the item has changed since the write
   * @throws Problem 403      also for a field that the actor is not allowed to write
   * @throws Problem 409      when other records refer to an item that has to be deleted
   */
  async revert(key: KeyValue, reversal: Reversal, options: RevertOptions = {}): Promise<void> {
    await revertItem(await this.contextFor(options), key, reversal, options)
  }

  /**
   * Reads and locks records that are going to be reverted in the client's transaction, by `identityOf` their keys.
   * `revert` itself reads the records that the result lacks.
   */
  async recordsToRevert(
    keys: readonly KeyValue[],
    options: CallOptions & { client: QueryClientContract }
  ): Promise<ReadonlyMap<string, LucidRow>> {
    return await recordsToRevert(await this.contextFor(options), keys, options)
  }

  /**
   * Reverts changed items like `revert`, many per statement, if no application code runs and no rule depends on a
   * single record. The caller reverts pivot rows.
   *
   * @param options.whole  the transaction, in which all items are unchanged since their writes
   * @returns false if nothing was done because each item has to be reverted separately
   * @throws Problem, or an error of the driver
   */
  async revertTogether(
    all: ReadonlyArray<{ key: KeyValue; reversal: Reversal }>,
    options: RevertOptions & Required<Pick<RevertOptions, 'whole'>>
  ): Promise<boolean> {
    const own = { ...options, client: options.whole }
    return await revertTogether(await this.contextFor(own), all, own)
  }

  /**
   * Performs the checks of `create` without writing anything. Hooks of the model and constraints of the database do not
   * apply.
   *
   * @param values  values by attribute name
   * @returns the record as it would be written
   * @throws Problem 403, 409 or 422
   */
  async tryCreate(
    values: Record<string, unknown>,
    options: CreateOptions & { client: QueryClientContract }
  ): Promise<LucidRow> {
    const { client } = options
    return await tryCreate(await this.contextFor(options), values, client as never, options)
  }

  /**
   * Performs the checks of `update` without writing anything.
   *
   * @param record  record of `locateBy`; the values are assigned to it
   * @returns true if any value would be written
   * @throws Problem 403, 409 or 422
   */
  async tryUpdate(
    record: LucidRow,
    values: Record<string, unknown>,
    options: UpdateOptions & { client: QueryClientContract }
  ): Promise<boolean> {
    const { client } = options
    return await tryUpdate(await this.contextFor(options), record, values, client as never, options)
  }

  /**
   * Checks for records of `tryCreate` and `tryUpdate` whether they would still be in the actor's scope after the write.
   *
   * @returns the results, in the order of the records
   */
  async checkUnstored(
    operation: 'create' | 'update',
    unstored: readonly Unstored[],
    options: CallOptions & { client: QueryClientContract }
  ): Promise<UnstoredVerdict[]> {
    const records = await this.recordsFor(options)
    return await checkUnstored(records, operation, unstored, options.client, options)
  }

  /** True if a subclass converts values to attributes; its code can use the transaction. */
  get hasOwnPreparation(): boolean {
    const { prototype } = LucidCrud
    return (
      this.prepareCreate !== prototype.prepareCreate ||
      this.prepareUpdate !== prototype.prepareUpdate
    )
  }

  /**
   * Calls back once the writes of the client are durable: after the commit of the outermost transaction, immediately
   * without a transaction, never after a rollback.
   */
  afterCommit(client: QueryClientContract, callback: () => void): void {
    afterOutermostCommit(client, callback)
  }

  protected contextOf(resource: Resource): CrudContext {
    return {
      resource,
      records: new Records(resource),
      methods: this,
      overrides: (name) => this[name] !== LucidCrud.prototype[name],
    }
  }

  #withoutVirtual(values: Record<string, unknown>) {
    return omit(values, this.resource.virtualFields)
  }
}

const TRACED = [
  'get',
  'find',
  'findMany',
  'getMulti',
  'count',
  'create',
  'createMany',
  'update',
  'delete',
  'dbDelete',
  'deleteMany',
  'restoreMany',
  'upsert',
  'upsertMany',
  'updateWhere',
  'deleteWhere',
  'revert',
] as const

/** Makes each operation a span, if the application has started OpenTelemetry. */
export async function traceOperations(): Promise<void> {
  if (!(await startTracing())) return
  traceMethods(LucidCrud.prototype, TRACED, ({ resource }) => resource.name)
}
