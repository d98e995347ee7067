import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Item } from '../types.js'
import type { CallOptions, CreateOptions, UpdateOptions } from './call_options.js'
import { LucidCrudReads } from './lucid_crud_reads.js'
import { deleteItems, restoreItems } from './delete.js'
import { upsertItem, upsertItems, type UpsertOptions } from './upsert.js'
import { eachRecord, writeWhere, type Where, type WhereOptions } from './write_where.js'
import { createMany, updateTogether, type ItemChange } from './writes/bulk_writes.js'

type Values = Record<string, unknown>

/**
 * The methods of `LucidCrud` that write many items, or find the items that they write by other values than the key.
 * They call `create`, `update` and `deleteMany`, with the same hooks, policies, scopes and events.
 */
export abstract class LucidCrudWritesOfMany<
  Model extends LucidModel = LucidModel,
> extends LucidCrudReads<Model> {
  abstract create(values: Values, options?: CreateOptions): Promise<Item>

  abstract update(key: unknown, values: Values, options?: UpdateOptions): Promise<Item | null>

  /**
   * Changes the item that has the same values in the columns `on`, or stores a new one. An item that the actor cannot
   * see, or that is soft-deleted, is not changed: its unique values are a 409.
   *
   * @param values   values by attribute name; those of `on` are not changed
   * @param options  `on`: the columns of the primary key or of a unique index
   * @returns the item, as `create` returns it
   * @throws Problem 403, 409 or 422
   * @throws ValueError  for columns without a unique key
   */
  async upsert(values: Values, options: UpsertOptions): Promise<Item> {
    return await upsertItem(await this.contextFor(options), values, options, this)
  }

  /**
   * Upserts several items like `upsert`, all of them or none.
   *
   * @returns the items, in the same order
   * @throws the errors of `upsert`
   */
  async upsertMany(all: readonly Values[], options: UpsertOptions): Promise<Item[]> {
    const context = await this.contextFor(options)
    return await upsertItems(context, all, options, (values, own) => this.upsert(values, own))
  }

  /**
   * Stores new items, all of them or none, like `create`: many per statement if the model and application code perform
   * no additional work.
   *
   * @param all      values of each item, by attribute name
   * @param options  `returning`: false to return no items. Default: true
   * @returns the items, in the same order
   * @throws Problem 403, 409 or 422
   */
  async createMany(
    all: readonly Values[],
    options: CallOptions & { returning?: boolean } = {}
  ): Promise<Item[]> {
    const context = await this.contextFor(options)
    return await createMany(context, all, options, (values, own) => this.create(values, own))
  }

  /**
   * Changes all items that match the filters, all of them or none.
   *
   * @param where    filters such as `{ price__gte: 10 }`
   * @param values   values by attribute name
   * @param options  `max`: number of items above which nothing is changed. Default: 1
   * @returns the number of items that match
   * @throws Problem 403, 409, 412 if more match, or 422 for an unknown, empty or missing filter
   */
  async updateWhere(where: Where, values: Values, options: WhereOptions = {}): Promise<number> {
    const { each, max, ...own } = options
    const context = await this.contextFor(options)
    const { key } = context.resource
    return await writeWhere(context, 'update', where, options, async (records, client) => {
      const call = { ...own, client, joins: false }
      const keys = records.map((record) => key.of(record))
      const changes = keys.map((one) => ({ key: one, values }))
      if (!each && (await this.updateTogether(changes, call))) return
      await eachRecord(keys, each ?? ((one) => this.update(one, values, call)))
    })
  }

  /**
   * Deletes all items that match the filters like `deleteMany`, all of them or none.
   *
   * @param where    filters such as `{ price__gte: 10 }`
   * @param options  `max`: number of items above which nothing is deleted. Default: 1
   * @returns the number of deleted items
   * @throws Problem 403, 409, 412 if more match, or 422 for an unknown, empty or missing filter
   */
  async deleteWhere(
    where: Where,
    options: WhereOptions & { hard?: boolean } = {}
  ): Promise<number> {
    const { each, max, hard, ...own } = options
    const context = await this.contextFor(options)
    const { key } = context.resource
    const operation = hard ? 'db_delete' : 'delete'
    return await writeWhere(context, operation, where, options, async (records, client) => {
      const keys = records.map((record) => key.of(record))
      if (each) await eachRecord(keys, each)
      else await this.deleteMany(keys, { ...own, hard, client, joins: false })
    })
  }

  /**
   * Deletes several items, all of them or none, like `delete` or `dbDelete`.
   *
   * @returns the records, as they were read
   * @throws UnknownKey  for the first key without an item
   * @throws Problem 403 or 409
   */
  async deleteMany(
    keys: readonly unknown[],
    options: CallOptions & { hard?: boolean } = {}
  ): Promise<LucidRow[]> {
    return await deleteItems(await this.contextFor(options), keys, options)
  }

  /**
   * Restores several soft-deleted items, all of them or none.
   *
   * @returns the records
   * @throws UnknownKey  for the first key without a soft-deleted item
   * @throws Problem 403 or 409
   */
  async restoreMany(keys: readonly unknown[], options: CallOptions = {}): Promise<LucidRow[]> {
    return await restoreItems(await this.contextFor(options), keys, options)
  }

  /**
   * Changes items like `update`, many per statement, if no application code runs and the database does not lock rows.
   * If one fails, all of them fail.
   *
   * @param all  keys with values by attribute name
   * @returns false if nothing was done because each item has to be changed separately
   * @throws UnknownKey  for the first key without an item
   * @throws Problem 403, 409 or 422
   */
  async updateTogether(
    all: readonly ItemChange[],
    options: CallOptions & { client: QueryClientContract }
  ): Promise<boolean> {
    return await updateTogether(await this.contextFor(options), all, options)
  }
}
