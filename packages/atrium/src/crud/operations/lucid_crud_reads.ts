import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import {
  type CallOptions,
  type FindOptions,
  type ReadOptions,
  type SelectOptions,
  clientFor,
} from './call_options.js'
import { aggregateItems, type AggregateOptions } from './aggregate.js'
import {
  anyItemAllowed,
  countItems,
  countItemsByDay,
  type DayOptions,
  type CountValuesOptions,
  countItemsByValue,
  type ValueCount,
} from './count.js'
import { findDuplicates, type DuplicateOptions, type Duplicates } from './lists/duplicates.js'
import type { CrudContext } from './crud_context.js'
import { listItems } from './list.js'
import type { ListOptions, ListResult } from './lists/list_result.js'
import { identityOf, type KeyValue } from '#base/columns/key'
import {
  checkFindOptions,
  findRecord,
  findRecordBy,
  findRecords,
  isFilters,
  readItem,
} from './read.js'
import type { Records, Located } from './records.js'
import { transitionsOn } from './writes/check_transitions.js'
import { readOnlyOn } from './writes/written_fields.js'
import type { Condition } from '#base/columns/condition'
import type { ListQuery, ListRequest } from '../request/list_request.js'
import type { GrantedOperation } from '../resource/permissions.js'
import type { AggregateRow } from '../sql/aggregates.js'
import { Resource } from '../resource/resource.js'
import type { ColumnSettings, Item } from '../types.js'

/** The read methods of `LucidCrud`. */
export abstract class LucidCrudReads<Model extends LucidModel = LucidModel> {
  #resource: Resource | undefined
  readonly #contexts = new WeakMap<Resource, CrudContext>()

  /**
   * @param model     the Lucid model
   * @param settings  names of the soft-delete and update columns of the model, if they differ from the default names
   */
  constructor(
    readonly model: Model,
    readonly settings: ColumnSettings = {}
  ) {}

  /** The resource of the model. If the model has no endpoints, the options of its decorator apply. */
  get resource(): Resource {
    this.#resource ??= Resource.fromDecorator(this.model, this.settings)
    return this.#resource
  }

  /**
   * Binds the operations to an existing resource.
   *
   * @returns this object, or a new instance of its class if it is already bound to another resource
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
   * Returns one item.
   *
   * @param key  value of the key; an array of values for a composite key
   * @returns null if there is no such item
   * @throws Problem 403, or 422 for an unknown field or relation
   */
  async get(key: unknown, options: ReadOptions = {}): Promise<Item | null> {
    return await readItem(await this.recordsFor(options), key, options)
  }

  /**
   * Returns one item as a model instance, including the columns that responses do not show.
   *
   * @param wanted  value of the key, an array of values for a composite key; or filters such as `{ name: 'Ada' }`, for
   *   the first item in the order of the keys that matches
   * @returns null if there is no such item
   * @throws Problem 403, or 422 for an unknown, empty or missing filter
   * @throws ValueError  for an unknown option
   */
  async find(wanted: unknown, options: FindOptions = {}): Promise<LucidRow | null> {
    checkFindOptions(this.model.name, options)
    const records = await this.recordsFor(options)
    return isFilters(wanted)
      ? await findRecordBy(records, wanted, options)
      : await findRecord(records, wanted, options)
  }

  /**
   * Returns several items as model instances, in the order of the keys and without duplicates.
   *
   * @throws UnknownKey   for the first key without an item
   * @throws Problem 403
   */
  async findMany(keys: readonly unknown[], options: SelectOptions = {}): Promise<LucidRow[]> {
    return await findRecords(await this.recordsFor(options), keys, options)
  }

  /**
   * Returns a list of items.
   *
   * @throws Problem 403, or 422 for an invalid sort, field or relation
   * @throws ValueError  for an invalid filter
   */
  async getMulti(
    query: ListQuery | ListRequest = {},
    options: ListOptions = {}
  ): Promise<ListResult> {
    return await listItems(await this.recordsFor(options), query, options)
  }

  /**
   * Returns the number of items that match the filters.
   *
   * @param filters  filter name (`price__gte`) -> value, for any column
   * @returns null if the policy requires the record and more than 10,000 records would have to be authorized
   */
  async count(
    filters: Record<string, unknown> = {},
    options: SelectOptions = {}
  ): Promise<number | null> {
    return await countItems(await this.recordsFor(options), filters, options)
  }

  /**
   * Returns the number of items for each day of a datetime column.
   *
   * @param apiName  API name of the column
   * @param first    first day, as YYYY-MM-DD; null for all days
   * @param options  `zone`: time zone that defines the days; default: UTC. `request`: the list; its paging and order
   *   are ignored
   * @returns the days with items, in no particular order; null if the policy requires the record and more than 10,000
   *   records would have to be authorized
   * @throws Problem 403
   */
  async countByDay(
    apiName: string,
    first: string | null,
    options: DayOptions = {}
  ): Promise<Array<{ day: string; count: number }> | null> {
    return await countItemsByDay(await this.recordsFor(options), apiName, first, options)
  }

  /**
   * Returns the values of a column in a list, each with the number of items that have it, most frequent values first.
   *
   * @param apiName  API name of the column
   * @param request  the list; its paging and order are ignored
   * @param options  `most`: maximum number of values; `newest`: number of items to count, those with the highest keys;
   *   `counted` is called with the number of distinct values
   * @returns null if items can show other values than the stored ones: with a policy that requires the record, grants
   *   that hide the column on some items, a column or model with custom conversion or serialization, and for JSON and
   *   bytes
   * @throws Problem 403
   * @throws ValueError  for an unknown column, or a filter by a hidden one
   */
  async countByValue(
    apiName: string,
    request: ListRequest,
    options: CountValuesOptions
  ): Promise<ValueCount[] | null> {
    return await countItemsByValue(await this.recordsFor(options), apiName, request, options)
  }

  /**
   * Groups the items of a list, and returns the number of items, sums, averages, minimums and maximums of each group:
   * `{ major_genre: 'Drama', count: 12, 'sum:us_gross': '123.45' }`. Integers are numbers, or texts of digits beyond
   * 2^53; decimals and averages are texts with every digit. Null is a group. Without `groupBy` there is one row, also
   * for no items.
   *
   * @param query    the list; its paging and order are ignored
   * @param options  `groupBy`, `select`, `sort` and `limit`
   * @throws Problem 403, or 422 for an unknown or hidden column, a sum of texts, or more records than a policy
   *   decides about one by one
   * @throws ValueError  for an invalid filter
   */
  async aggregate(
    query: ListQuery | ListRequest = {},
    options: AggregateOptions = {}
  ): Promise<AggregateRow[]> {
    return await aggregateItems(await this.recordsFor(options), query, options)
  }

  /**
   * Returns groups of items that agree in columns, the largest first. Empty values agree with none.
   *
   * @param request  the list; its paging and order are ignored
   * @param options  `columns`: API names; `ignoresCase`: texts are compared in lower case,
   *   normalized (NFKC), trimmed and with single spaces
   * @throws Problem 403, or 422 for an unknown or hidden column, or too many values
   */
  async duplicates(request: ListRequest, options: DuplicateOptions): Promise<Duplicates[]> {
    return await findDuplicates(await this.recordsFor(options), request, options)
  }

  /** True if any item matches the filters. */
  async exists(filters: Record<string, unknown>, options: SelectOptions = {}): Promise<boolean> {
    const records = await this.recordsFor(options)
    return records.authorizesRecords(options)
      ? await anyItemAllowed(records, filters, options)
      : (await countItems(records, filters, options))! > 0
  }

  /**
   * True if the grants and the policy allow an operation, on the record if one is given.
   *
   * @param record  a record that the actor is allowed to read, or a new one
   */
  async allows(
    action: GrantedOperation,
    options: CallOptions,
    record?: LucidRow
  ): Promise<boolean> {
    const records = await this.recordsFor(options)
    if (!(await records.allows(action, options, record))) return false
    if (!record?.$isPersisted) return true
    const { key, projection } = records.resource
    if (!projection || projection.coversReadableRecords(action)) return true
    const reached = await this.reached(action, [key.of(record)], options)
    return reached.length > 0
  }

  /**
   * Returns the keys of those readable records that the actor's grants for an operation include. The policy is not
   * checked. Runs one statement per 200 keys, and none if the grants include all readable records.
   *
   * @param keys  keys of records that the actor is allowed to read
   * @returns the keys, in the order of `keys`
   */
  async reached(
    action: GrantedOperation,
    keys: readonly KeyValue[],
    options: CallOptions = {}
  ): Promise<KeyValue[]> {
    const records = await this.recordsFor(options)
    if (!records.resource.permits(action)) return []
    const client = await clientFor(records.resource, options)
    const reached = await records.reaches(action, keys, client, options)
    return keys.filter((key) => reached.has(identityOf(key)))
  }

  /**
   * Returns the fields that the actor is allowed to change on some records, but not on this one.
   *
   * @returns API names of the fields
   */
  async readOnlyOn(record: LucidRow, options: CallOptions = {}): Promise<ReadonlySet<string>> {
    const { resource } = await this.recordsFor(options)
    if (!resource.projection) return new Set()
    return await readOnlyOn(resource, record, await clientFor(resource, options), options)
  }

  /**
   * Returns the values that the limited columns of a record can change to, for the transitions that the actor is
   * allowed to make.
   * @returns by API name; without columns that accept any value
   */
  async transitionsOn(
    record: LucidRow,
    options: CallOptions = {}
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { resource } = await this.recordsFor(options)
    return await transitionsOn(resource, record, await clientFor(resource, options), options)
  }

  /**
   * Returns the records, except deleted ones, that meet a condition with the values that the actor can see. They are in
   * no particular order.
   *
   * @param options.lock  true if the records are going to be written in the client's transaction
   */
  async locateBy(
    condition: Condition,
    { lock = false, ...options }: CallOptions & { client: QueryClientContract; lock?: boolean }
  ): Promise<Located[]> {
    const records = await this.recordsFor(options)
    return await records.locateBy(condition, options.client, options, lock)
  }

  protected abstract contextOf(resource: Resource): CrudContext

  protected async recordsFor(options: CallOptions): Promise<Records> {
    const { records } = await this.contextFor(options)
    return records
  }

  /** Returns the context for the resource as restricted by the roles of the actor. */
  protected contextFor({ actor = currentActor(), client }: CallOptions) {
    const resource = this.resource.for(actor, client)
    return resource instanceof Resource
      ? this.#contextOf(resource)
      : resource.then((one) => this.#contextOf(one))
  }

  #contextOf(resource: Resource): CrudContext {
    let context = this.#contexts.get(resource)
    if (!context) this.#contexts.set(resource, (context = this.contextOf(resource)))
    return context
  }
}
