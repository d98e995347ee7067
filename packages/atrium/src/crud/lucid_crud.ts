import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import type { Reversal } from './events/reversal.js'
import type {
  CallOptions,
  CreateOptions,
  FindOptions,
  HookOptions,
  ReadOptions,
  SelectOptions,
  UpdateOptions,
  WriteOptions,
} from './operations/call_options.js'
import { anyItemAllowed, countItems, countItemsByDay } from './operations/count.js'
import {
  type CountValuesOptions,
  countItemsByValue,
  type ValueCount,
} from './operations/lists/count_values.js'
import { clientFor } from './operations/client_for.js'
import { createItem, tryCreate } from './operations/create.js'
import type { CrudContext } from './operations/crud_context.js'
import { deleteItem, deleteItems } from './operations/delete.js'
import { listItems } from './operations/list.js'
import type { ListOptions, ListResult } from './operations/lists/list_result.js'
import { omit } from './operations/writes/omit.js'
import { identityOf, type KeyValue } from '#base/columns/key'
import { findRecord, findRecords, readItem } from './operations/read.js'
import { Records, type Located } from './operations/records.js'
import { restoreItems } from './operations/restore.js'
import { recordsToRevert, revertItem, type RevertOptions } from './operations/revert.js'
import { judgeUnstored, type Unstored, type UnstoredVerdict } from './operations/writes/unstored.js'
import { tryUpdate, updateItem } from './operations/update.js'
import {
  createMany,
  revertTogether,
  updateTogether,
  type ItemChange,
} from './operations/writes/many_at_once.js'
import { readOnlyOn } from './operations/writes/written_fields.js'
import type { Condition } from '#base/columns/condition'
import type { ListQuery, ListRequest } from './request/list_request.js'
import type { GrantedOperation } from './resource/permissions.js'
import { Resource } from './resource/resource.js'
import type { ColumnSettings, Item } from './types.js'

export type {
  CallOptions,
  HookOptions,
  ReadOptions,
  UpdateOptions,
  WriteOptions,
} from './operations/call_options.js'

/**
 * The operations on one model, which the endpoints, the admin site and own code share. Each write runs
 * in a transaction, the caller's if one is given, with the model's own hooks; policy and scope apply to
 * every operation. [P8, P14]
 *
 * Values are passed by attribute name, as in Lucid; items are returned by API name.
 */
export class LucidCrud<Model extends LucidModel = LucidModel> {
  #resource: Resource | undefined
  readonly #contexts = new WeakMap<Resource, CrudContext>()

  /**
   * @param model     the Lucid model
   * @param settings  names of its soft-delete and update columns, unless they are the usual ones
   */
  constructor(
    readonly model: Model,
    readonly settings: ColumnSettings = {}
  ) {}

  /** The resource of the model. Without endpoints, the options of its decorator apply. */
  get resource(): Resource {
    this.#resource ??= Resource.fromDecorator(this.model, this.settings)
    return this.#resource
  }

  /**
   * Binds the operations to an existing resource.
   *
   * @returns this object, or a new one of its class if it has a resource already
   */
  bind(resource: Resource): this {
    if (this.#resource && this.#resource !== resource) {
      const Class = this.constructor as new (model: Model, settings: ColumnSettings) => this
      return new Class(this.model, this.settings).bind(resource)
    }
    this.#resource = resource
    return this
  }

  /**
   * Overridable: turns the values of a create, virtual fields included, into the model's attributes. The
   * default leaves the virtual fields out. [P6]
   */
  prepareCreate(
    values: Record<string, unknown>,
    _options: HookOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /** Overridable: turns the values of an update into the model's attributes. [P6] */
  prepareUpdate(
    values: Record<string, unknown>,
    _record: LucidRow,
    _options: HookOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /**
   * Overridable: runs after a new record's row is written, in the same transaction (`options.client`).
   * If it throws, the error is the response and nothing is stored. Changes of the record's many-to-many relations are
   * part of the write for events and the log. [P8, E3]
   *
   * @param values  as they were passed to the create, virtual fields included
   */
  afterCreate(
    _record: LucidRow,
    _values: Record<string, unknown>,
    _options: HookOptions
  ): void | Promise<void> {}

  /** Overridable: runs after an update, even one that changes no column. [P8, E3] */
  afterUpdate(
    _record: LucidRow,
    _values: Record<string, unknown>,
    _options: HookOptions
  ): void | Promise<void> {}

  /**
   * Overridable: runs with the deletion of the record, soft or permanent, in the same transaction
   * (`options.client`). If it throws, the error is the response and nothing is deleted.
   */
  prepareDelete(_record: LucidRow, _options: HookOptions): void | Promise<void> {}

  /**
   * Stores a new item.
   *
   * @param values  by attribute name
   * @returns the item as `get` returns it
   * @throws Problem 403, 409 or 422
   */
  async create(values: Record<string, unknown>, options: CreateOptions = {}): Promise<Item> {
    return await createItem(await this.#contextFor(options), values, options)
  }

  /**
   * One item.
   *
   * @param key  the key's value; an array of its parts if it is composite
   * @returns null if there is no such item
   * @throws Problem 403, or 422 for an unknown field or relation
   */
  async get(key: unknown, options: ReadOptions = {}): Promise<Item | null> {
    return await readItem(await this.#recordsFor(options), key, options)
  }

  /**
   * One item as a model instance, including the columns that responses do not show.
   *
   * @returns null if there is no such item
   * @throws Problem 403
   */
  async find(key: unknown, options: FindOptions = {}): Promise<LucidRow | null> {
    return await findRecord(await this.#recordsFor(options), key, options)
  }

  /**
   * Several items as model instances, in the order of their keys, each once.
   *
   * @throws UnknownKey   for the first key without an item
   * @throws Problem 403
   */
  async findMany(keys: readonly unknown[], options: SelectOptions = {}): Promise<LucidRow[]> {
    return await findRecords(await this.#recordsFor(options), keys, options)
  }

  /**
   * A list of items.
   *
   * @throws Problem 403, or 422 for an invalid sort, field or relation
   * @throws ValueError  for an invalid filter
   */
  async getMulti(
    query: ListQuery | ListRequest = {},
    options: ListOptions = {}
  ): Promise<ListResult> {
    return await listItems(await this.#recordsFor(options), query, options)
  }

  /**
   * The number of items that match the filters.
   *
   * @param filters  filter name (`price__gte`) -> value, for any column
   * @returns null if the policy takes the record and more than 10,000 would have to be authorized [P14]
   */
  async count(
    filters: Record<string, unknown> = {},
    options: SelectOptions = {}
  ): Promise<number | null> {
    return await countItems(await this.#recordsFor(options), filters, options)
  }

  /**
   * The number of items of each day of a datetime column.
   *
   * @param apiName   the column's API name
   * @param first  the first day, as YYYY-MM-DD
   * @param options  `zone`: the time zone whose days they are; default: UTC
   * @returns the days with items, in no order; null if the policy takes the record and more than 10,000
   *   would have to be authorized [P14]
   * @throws Problem 403
   */
  async countByDay(
    apiName: string,
    first: string,
    options: CallOptions & { zone?: string } = {}
  ): Promise<Array<{ day: string; count: number }> | null> {
    return await countItemsByDay(await this.#recordsFor(options), apiName, first, options)
  }

  /**
   * The number of items of each value of a column, among those of a list: the most frequent values first.
   *
   * @param apiName  the column's API name
   * @param request  the list; its paging and order do not matter
   * @param options  `most`: the number of values; `counted` is called with that of all there are
   * @returns null if not every item shows its stored value: with a policy that takes the record, grants that hide
   *   the column on some items, a column or model that converts or serializes itself, and for JSON and bytes
   * @throws Problem 403
   * @throws ValueError  for an unknown column, or a filter by a hidden one
   */
  async countByValue(
    apiName: string,
    request: ListRequest,
    options: CountValuesOptions
  ): Promise<ValueCount[] | null> {
    return await countItemsByValue(await this.#recordsFor(options), apiName, request, options)
  }

  /** True if any item matches the filters. */
  async exists(filters: Record<string, unknown>, options: SelectOptions = {}): Promise<boolean> {
    const records = await this.#recordsFor(options)
    return records.authorizesRecords(options)
      ? await anyItemAllowed(records, filters, options)
      : (await countItems(records, filters, options))! > 0
  }

  /**
   * True if grants and the policy allow an operation, on a record if one is given. [P14, U2]
   *
   * @param record  one that the actor may read, or a new one
   */
  async allows(
    action: GrantedOperation,
    options: CallOptions,
    record?: LucidRow
  ): Promise<boolean> {
    const records = await this.#recordsFor(options)
    if (!(await records.allows(action, options, record))) return false
    if (!record?.$isPersisted) return true
    const { key, projection } = records.resource
    if (!projection || projection.reachesWhatIsRead(action)) return true
    const reached = await this.reached(action, [key.of(record)], options)
    return reached.length > 0
  }

  /**
   * Of readable records, the keys of those that an operation reaches. The policy is not asked. One statement per
   * 200 keys, and none if the operation reaches all readable records. [U2]
   *
   * @param keys  of records that the actor may read
   * @returns in the order of `keys`
   */
  async reached(
    action: GrantedOperation,
    keys: readonly KeyValue[],
    options: CallOptions = {}
  ): Promise<KeyValue[]> {
    const records = await this.#recordsFor(options)
    if (!records.resource.permits(action)) return []
    const client = await clientFor(records.resource, options)
    const reached = await records.reaches(action, keys, client, options)
    return keys.filter((key) => reached.has(identityOf(key)))
  }

  /**
   * The fields that the actor may change on some records, and not on this one. [U3]
   *
   * @returns their names in the API
   */
  async readOnlyOn(record: LucidRow, options: CallOptions = {}): Promise<ReadonlySet<string>> {
    const { resource } = await this.#recordsFor(options)
    if (!resource.projection) return new Set()
    return await readOnlyOn(resource, record, await clientFor(resource, options), options)
  }

  /**
   * Changes an item. An update without values changes nothing, not even the update timestamp. [A23]
   *
   * @param values  by attribute name; a key is never changed [A7]
   * @returns the changed item if `returning` is set and the policy lets the actor read it, else null
   * @throws Problem 403, 404, 409 or 422
   */
  async update(
    key: unknown,
    values: Record<string, unknown>,
    options: UpdateOptions = {}
  ): Promise<Item | null> {
    return await updateItem(await this.#contextFor(options), key, values, options)
  }

  /**
   * Deletes an item: marks it if soft delete is configured, else removes it. [A21]
   *
   * @throws Problem 403, 404 or 409
   */
  async delete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await deleteItem(await this.#contextFor(options), key, options, false)
  }

  /**
   * Removes an item for good, soft-deleted or not. [A22]
   *
   * @throws Problem 403, 404 or 409
   */
  async dbDelete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await deleteItem(await this.#contextFor(options), key, options, true)
  }

  /**
   * Deletes several items, all of them or none, as `delete` or `dbDelete` does. [S52]
   *
   * @returns the records, as they were read
   * @throws UnknownKey  for the first key without an item
   * @throws Problem 403 or 409
   */
  async deleteMany(
    keys: readonly unknown[],
    options: CallOptions & { hard?: boolean } = {}
  ): Promise<LucidRow[]> {
    return await deleteItems(await this.#contextFor(options), keys, options)
  }

  /**
   * Restores several soft-deleted items, all of them or none. [B16]
   *
   * @returns the records
   * @throws UnknownKey  for the first key without a soft-deleted item
   * @throws Problem 403 or 409
   */
  async restoreMany(keys: readonly unknown[], options: CallOptions = {}): Promise<LucidRow[]> {
    return await restoreItems(await this.#contextFor(options), keys, options)
  }

  /**
   * Puts an item back into its state before a logged write: updates, restores, deletes or creates it as the log
   * says, with hooks, policy, scope and grants as ever. Values are those of the log, and no schema judges them.
   *
   * @param reversal  of `reversalOf`
   * @throws RecordNotAsLeft  when the item is not as the write left it
   * @throws Problem 403      also for a field that the actor may not write
   * @throws Problem 409      when others refer to an item that is to be removed
   */
  async revert(key: KeyValue, reversal: Reversal, options: RevertOptions = {}): Promise<void> {
    await revertItem(await this.#contextFor(options), key, reversal, options)
  }

  /**
   * Records to revert next in the client's transaction, read and locked together, by `identityOf` their keys; those that are
   * missing are to be read by `revert`.
   */
  async recordsToRevert(
    keys: readonly KeyValue[],
    options: CallOptions & { client: QueryClientContract }
  ): Promise<ReadonlyMap<string, LucidRow>> {
    return await recordsToRevert(await this.#contextFor(options), keys, options)
  }

  /**
   * Puts changed items back as `revert` does each, many with one statement, where no application code runs and no rule is
   * about the single record. Pivot rows are left to the caller.
   *
   * @param options.whole  the transaction, in which all of them are as their writes left them
   * @returns false if nothing was done, as each is to be reverted by itself
   * @throws Problem, or an error of the driver
   */
  async revertTogether(
    all: ReadonlyArray<{ key: KeyValue; reversal: Reversal }>,
    options: RevertOptions & Required<Pick<RevertOptions, 'whole'>>
  ): Promise<boolean> {
    const own = { ...options, client: options.whole }
    return await revertTogether(await this.#contextFor(own), all, own)
  }

  /**
   * Stores new items, all of them or none, as `create` stores each: many with one statement, where the model and application
   * code do nothing in addition.
   *
   * @param all  by attribute name
   * @throws Problem 403, 409 or 422
   */
  async createMany(
    all: ReadonlyArray<Record<string, unknown>>,
    options: CallOptions = {}
  ): Promise<void> {
    const context = await this.#contextFor(options)
    await createMany(context, all, options, (values, own) => this.create(values, own))
  }

  /**
   * Changes items as `update` changes each, many with one statement, where no application code runs and the database
   * locks no rows. If one fails, all of them fail.
   *
   * @param all  keys with values by attribute name
   * @returns false if nothing was done, as each is to be changed by itself
   * @throws UnknownKey  for the first key without an item
   * @throws Problem 403, 409 or 422
   */
  async updateTogether(
    all: readonly ItemChange[],
    options: CallOptions & { client: QueryClientContract }
  ): Promise<boolean> {
    return await updateTogether(await this.#contextFor(options), all, options)
  }

  /**
   * Decides a create as `create` does, and writes nothing; the model's hooks and the database are not asked.
   *
   * @param values  by attribute name
   * @returns the record as it would be written
   * @throws Problem 403, 409 or 422
   */
  async tryCreate(
    values: Record<string, unknown>,
    options: CreateOptions & { client: QueryClientContract }
  ): Promise<LucidRow> {
    const { client } = options
    return await tryCreate(await this.#contextFor(options), values, client as never, options)
  }

  /**
   * Decides an update as `update` does, and writes nothing.
   *
   * @param record  of `locateBy`, which takes the values
   * @returns true if any value would be written
   * @throws Problem 403, 409 or 422
   */
  async tryUpdate(
    record: LucidRow,
    values: Record<string, unknown>,
    options: UpdateOptions & { client: QueryClientContract }
  ): Promise<boolean> {
    const { client } = options
    return await tryUpdate(
      await this.#contextFor(options),
      record,
      values,
      client as never,
      options
    )
  }

  /**
   * Judges records of `tryCreate` and `tryUpdate`: would the actor still reach them, once they are written?
   *
   * @returns in the order of the records
   */
  async judgeUnstored(
    operation: 'create' | 'update',
    unstored: readonly Unstored[],
    options: CallOptions & { client: QueryClientContract }
  ): Promise<UnstoredVerdict[]> {
    const records = await this.#recordsFor(options)
    return await judgeUnstored(records, operation, unstored, options.client, options)
  }

  /**
   * The records that meet a condition as the actor sees them, in no order, not deleted.
   *
   * @param options.lock  true if they are to be written in the client's transaction
   */
  async locateBy(
    condition: Condition,
    { lock = false, ...options }: CallOptions & { client: QueryClientContract; lock?: boolean }
  ): Promise<Located[]> {
    const records = await this.#recordsFor(options)
    return await records.locateBy(condition, options.client, options, lock)
  }

  /** True if own code turns values into attributes, which may use the transaction. */
  get hasOwnPreparation(): boolean {
    const { prototype } = LucidCrud
    return (
      this.prepareCreate !== prototype.prepareCreate ||
      this.prepareUpdate !== prototype.prepareUpdate
    )
  }

  /**
   * Calls back once the writes of the client are durable: after the outermost transaction's commit, at
   * once without a transaction, never after a rollback. [E1]
   */
  afterCommit(client: QueryClientContract, callback: () => void): void {
    afterOutermostCommit(client, callback)
  }

  async #recordsFor(options: CallOptions): Promise<Records> {
    const { records } = await this.#contextFor(options)
    return records
  }

  /** The resource as the roles of the actor leave it. [U4] */
  async #contextFor({ actor = currentActor(), client }: CallOptions): Promise<CrudContext> {
    const resource = await this.resource.for(actor, client)
    let context = this.#contexts.get(resource)
    if (!context) this.#contexts.set(resource, (context = this.#contextOf(resource)))
    return context
  }

  #contextOf(resource: Resource): CrudContext {
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
