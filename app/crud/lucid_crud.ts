import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Query } from './database/dialect.js'
import { dialectOf } from './database/dialects.js'
import { faultToProblem } from './database/fault_to_problem.js'
import { afterOutermostCommit } from './database/outermost_commit.js'
import { inTransaction } from './database/transaction.js'
import { crudOptionsOf } from './decorator.js'
import { forbidden, itemNotFound } from './http/problems.js'
import type { Operation } from './operations.js'
import { conditionsFromCode, ListRequest, type ListQuery } from './query/list_request.js'
import { applyCondition } from './query/condition.js'
import { Reader } from './query/reader.js'
import { applySort } from './query/sorting.js'
import { deleteByKey, updateByKey } from './composite_key_writes.js'
import type { KeyValue } from './resource/key.js'
import { Resource } from './resource/resource.js'
import { now, type DeletedMode } from './resource/soft_delete.js'
import { crudConfig } from './settings.js'
import type { Actor, ColumnSettings, Item } from './types.js'

/**
 * What every operation takes beside its data.
 */
export interface CallOptions {
  /** The client to use; a transaction's, to be part of it [P8] */
  client?: QueryClientContract
  /** Who asks; policy and scope are asked about them [P14] */
  actor?: Actor
}

/**
 * A list, in the shape that was asked for. [S2]
 */
export interface ListResult {
  data: Item[]
  total_count: number
  has_more?: boolean
  page?: number
  items_per_page?: number
}

/* A created item's key, as its answer may leave the key's columns out. */
const KEYS = new WeakMap<Item, KeyValue>()

/**
 * The key of an item that `create` returned.
 */
export function keyOfCreated(item: Item): KeyValue | undefined {
  return KEYS.get(item)
}

const NOBODY: Actor = { kind: 'none' }

/**
 * The operations on one model: what the endpoints, the admin site and own code all go through. Each
 * write runs in a transaction, the caller's if one is given, with the model's own hooks; policy and
 * scope are asked in every one. [P8, P14]
 *
 * Values go in by attribute name, as Lucid has them; items come out as the wire has them.
 */
export class LucidCrud<Model extends LucidModel = LucidModel> {
  #resource: Resource | undefined
  #reader: Reader | undefined

  /**
   * @param model     the Lucid model
   * @param settings  names of its soft-delete and update columns, where they are not the usual ones
   */
  constructor(
    readonly model: Model,
    readonly settings: ColumnSettings = {}
  ) {}

  /**
   * What is known of the model. Without an endpoint that made one, its decorator's options count.
   */
  get resource(): Resource {
    this.#resource ??= new Resource({
      ...crudOptionsOf(this.model),
      ...this.settings,
      model: this.model,
    })
    return this.#resource
  }

  /**
   * Makes the operations follow a resource that is there already.
   *
   * @returns this object, or another of its class if it follows a resource already
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
   * Overridable: turns the values of a create, virtual fields included, into the model's attributes.
   * As it stands it leaves the virtual fields out. [P6]
   */
  prepareCreate(
    values: Record<string, unknown>,
    _options: CallOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /**
   * Overridable: the same for an update of the record. [P6]
   */
  prepareUpdate(
    values: Record<string, unknown>,
    _record: LucidRow,
    _options: CallOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /**
   * Stores a new item.
   *
   * @param values  by attribute name
   * @returns the item as `get` returns it
   * @throws Problem 403, 409 or 422
   */
  async create(values: Record<string, unknown>, options: CallOptions = {}): Promise<Item> {
    return await this.#write(options, async (client, attempt) => {
      const record = new this.model() as LucidRow
      attempt.record = record
      record.useTransaction(client)
      record.merge((await this.prepareCreate(values, options)) as any)
      this.#stampNew(record)
      await this.#ask('create', options, record)
      this.#keepTrueKey(record)
      await record.save()
      await this.#sharpenKey(record, client)
      return await this.#readBack(record, client, options)
    })
  }

  /**
   * One item.
   *
   * @param key  the key's value; an array of its parts if it is composite
   * @returns null if there is no such item
   * @throws Problem 403
   */
  async get(
    key: unknown,
    options: CallOptions & { deleted?: DeletedMode } = {}
  ): Promise<Item | null> {
    await this.resource.load(options.client)
    const client = options.client ?? this.resource.client()
    const narrow = this.#byKey(this.resource.key.fromCode(key), client, options)
    if (!this.resource.policy) return await this.#read.item(client, narrow)

    const record = await this.#read.record(client, narrow)
    if (!record) return null
    await this.#ask('read', options, record)
    return this.#read.toItem(record)
  }

  /**
   * A list of items.
   *
   * @throws Problem 403, or 422 for a sort that can't be
   * @throws ValueError  for a filter that can't be
   */
  async getMulti(
    query: ListQuery | ListRequest = {},
    options: CallOptions = {}
  ): Promise<ListResult> {
    await this.resource.load(options.client)
    const { key, table } = this.resource
    const request =
      query instanceof ListRequest
        ? query
        : ListRequest.fromCode(this.resource, query, crudConfig().pagination)
    await this.#ask('read_multi', options)

    const client = options.client ?? this.resource.client()
    const dialect = dialectOf(client)
    const narrow = this.#byConditions(request, client, options)
    const { offset, limit } = request.paging
    const [data, total] = await Promise.all([
      limit === 0
        ? []
        : this.#read.items(client, (rows) => {
            narrow(rows)
            applySort(rows, table, request.sorts, key.columns, dialect)
            rows.offset(offset).limit(limit)
          }),
      this.#read.count(client, narrow),
    ])
    return shapeList(data, total, request)
  }

  /**
   * How many items match the filters.
   *
   * @param filters  filter name (`price__gte`) -> value, for any column
   */
  async count(
    filters: Record<string, unknown> = {},
    options: CallOptions & { deleted?: DeletedMode } = {}
  ): Promise<number> {
    await this.resource.load(options.client)
    await this.#ask('read_multi', options)
    const client = options.client ?? this.resource.client()
    const conditions = conditionsFromCode(this.resource, filters)
    const deleted = options.deleted ?? 'exclude'
    return await this.#read.count(
      client,
      this.#byConditions({ conditions, deleted }, client, options)
    )
  }

  /**
   * Whether any item matches the filters.
   */
  async exists(
    filters: Record<string, unknown>,
    options: CallOptions & { deleted?: DeletedMode } = {}
  ): Promise<boolean> {
    return (await this.count(filters, options)) > 0
  }

  /**
   * Changes an item. No values change nothing, the update timestamp neither. [A23]
   *
   * @param values  by attribute name; a key is never changed [A7]
   * @returns the changed item if `returning` is set, else null
   * @throws Problem 403, 404, 409 or 422
   */
  async update(
    key: unknown,
    values: Record<string, unknown>,
    options: CallOptions & { returning?: boolean } = {}
  ): Promise<Item | null> {
    return await this.#write(options, async (client, attempt) => {
      const record = await this.#locate(key, client, options)
      attempt.record = record
      await this.#ask('update', options, record)
      const changes = this.#withoutKeys(await this.prepareUpdate(values, record, options))
      if (Object.keys(changes).length > 0) {
        this.#tellBytesApart(record)
        record.merge(changes as any)
        /* The policy may allow the row as it was, and not as it would be. */
        await this.#ask('update', options, record)
        this.#stampUpdate(record)
        await this.#save(record, client)
        if (this.resource.scope) await this.#readBack(record, client, options)
      }
      return options.returning ? await this.#readBack(record, client, options) : null
    })
  }

  /**
   * Deletes an item: marks it where soft delete is configured, else removes it. [A21]
   *
   * @throws Problem 403, 404 or 409
   */
  async delete(key: unknown, options: CallOptions = {}): Promise<void> {
    await this.#write(options, async (client) => {
      const record = await this.#locate(key, client, options)
      await this.#ask('delete', options, record)
      if (!this.resource.softDelete) return await this.#remove(record, client)
      record.merge(this.resource.softDelete.mark() as any)
      await this.#save(record, client)
    })
  }

  /**
   * Removes an item for good, soft-deleted or not. [A22]
   *
   * @throws Problem 403, 404 or 409
   */
  async dbDelete(key: unknown, options: CallOptions = {}): Promise<void> {
    await this.#write(options, async (client) => {
      const record = await this.#locate(key, client, options, 'include')
      await this.#ask('db_delete', options, record)
      await this.#remove(record, client)
    })
  }

  /**
   * Calls back once what was written through the client is there for good: after the outermost
   * transaction's commit, at once without a transaction, never after a rollback. [E1]
   */
  afterCommit(client: QueryClientContract, callback: () => void): void {
    afterOutermostCommit(client, callback)
  }

  get #read(): Reader {
    this.#reader ??= new Reader(this.resource)
    return this.#reader
  }

  /**
   * Runs a write in a transaction (in a savepoint of the caller's, if that is one) and turns what the
   * driver refuses into a problem. The work says which record it writes values of.
   */
  async #write<Result>(
    options: CallOptions,
    work: (client: TransactionClientContract, attempt: { record?: LucidRow }) => Promise<Result>
  ): Promise<Result> {
    await this.resource.load(options.client)
    const client = options.client ?? this.resource.client()
    const attempt: { record?: LucidRow } = {}
    try {
      return await inTransaction(client, (transaction) => work(transaction, attempt))
    } catch (error) {
      throw (await faultToProblem(error, this.resource, attempt.record, client)) ?? error
    }
  }

  async #locate(
    key: unknown,
    client: QueryClientContract,
    options: CallOptions,
    deleted: DeletedMode = 'exclude'
  ): Promise<LucidRow> {
    const narrow = this.#byKey(this.resource.key.fromCode(key), client, { ...options, deleted })
    const record = await this.#read.record(client, (query) => {
      narrow(query)
      query.forUpdate()
    })
    if (!record) throw itemNotFound()
    return record
  }

  /**
   * The item as it now is. A write that put it where its writer may not see it is refused.
   */
  async #readBack(
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item> {
    const key = this.resource.key.of(record)
    const item = await this.#read.item(
      client,
      this.#byKey(key, client, { ...options, deleted: 'include' })
    )
    if (!item) throw forbidden()
    KEYS.set(item, key)
    return item
  }

  #byKey(
    key: KeyValue,
    client: QueryClientContract,
    options: CallOptions & { deleted?: DeletedMode }
  ) {
    const dialect = dialectOf(client)
    return (query: Query) => {
      this.#visible(query, options.deleted ?? 'exclude', client, options)
      this.resource.key.constrain(query, key, dialect)
    }
  }

  #byConditions(
    request: Pick<ListRequest, 'conditions' | 'deleted'>,
    client: QueryClientContract,
    options: CallOptions
  ) {
    const dialect = dialectOf(client)
    return (query: Query) => {
      this.#visible(query, request.deleted, client, options)
      for (const condition of request.conditions) {
        applyCondition(query, this.resource.table, condition, dialect)
      }
    }
  }

  /**
   * Narrows to what the actor may see at all. The scope comes first and is closed off, so that an
   * alternative in it widens nothing but itself.
   */
  #visible(
    query: Query,
    deleted: DeletedMode,
    client: QueryClientContract,
    { actor = NOBODY }: CallOptions
  ) {
    this.resource.scope?.(query, actor)
    query.wrapExisting()
    this.resource.softDelete?.constrain(query, deleted, dialectOf(client))
  }

  async #ask(action: Operation, { actor = NOBODY }: CallOptions, record?: LucidRow) {
    const { policy } = this.resource
    if (policy && !(await policy(actor, action, this.resource, record))) throw forbidden()
  }

  async #save(record: LucidRow, client: TransactionClientContract) {
    if (this.resource.key.isComposite) await updateByKey(record, this.resource, client)
    else await record.save()
  }

  async #remove(record: LucidRow, client: TransactionClientContract) {
    if (this.resource.key.isComposite) await deleteByKey(record, this.resource, client)
    else await record.delete()
  }

  /**
   * Sets the timestamps that the body may not set and nothing else would: those that must not be
   * null, have no default and are not Lucid's.
   */
  #stampNew(record: LucidRow) {
    const attributes = record as unknown as Record<string, unknown>
    for (const column of this.resource.columns.all) {
      const isTimestamp = column === this.resource.updatedAt || column.name === 'created_at'
      const isLeftOut = attributes[column.attribute] === undefined && !column.automatic
      if (isTimestamp && isLeftOut && !column.nullable && !column.hasDefault) {
        attributes[column.attribute] = now(column)
      }
    }
  }

  /**
   * After an insert Lucid takes the number of the new row for the key, even where the key is text.
   * What the caller or a hook gave stays; what the database made, other than a number it counted up,
   * is asked back.
   */
  #keepTrueKey(record: LucidRow) {
    const { key } = this.resource
    const isGiven = () => key.of(record).every((part) => part !== undefined && part !== null)

    const queryFor = record.$getQueryFor.bind(record) as (...args: unknown[]) => any
    record.$getQueryFor = (action: string, client: QueryClientContract) => {
      const query = queryFor(action, client)
      if (action === 'insert' && !isGiven() && !key.columns[0].autoIncrement) {
        query.knexQuery.returning(key.columns.map((column) => column.name))
      }
      return query
    }
    const consume = record.$consumeAdapterResult.bind(record)
    record.$consumeAdapterResult = (result, sideloaded) => {
      if (!isGiven()) consume(result, sideloaded)
    }
  }

  /**
   * A number that the database counted up beyond 2^53 reaches Lucid rounded.
   */
  async #sharpenKey(record: LucidRow, client: TransactionClientContract) {
    const [column] = this.resource.key.columns
    if (!column.autoIncrement) return
    const attributes = record as unknown as Record<string, unknown>
    attributes[column.attribute] = await dialectOf(client).insertedKey(
      client,
      attributes[column.attribute]
    )
  }

  /**
   * To find what has changed, Lucid compares Buffers by their text, and bytes that are no UTF-8 all
   * have the same. Another class makes the old bytes different from any new ones.
   */
  #tellBytesApart({ $original }: LucidRow) {
    for (const [attribute, value] of Object.entries($original)) {
      if (Buffer.isBuffer(value)) $original[attribute] = new Uint8Array(value)
    }
  }

  #stampUpdate(record: LucidRow) {
    const { updatedAt } = this.resource
    if (updatedAt) {
      ;(record as unknown as Record<string, unknown>)[updatedAt.attribute] = now(updatedAt)
    }
  }

  #withoutVirtual(values: Record<string, unknown>) {
    const { virtualFields } = this.resource
    return omit(values, (name) => virtualFields.includes(name))
  }

  /** Lucid takes a column's name for its attribute's, too. */
  #withoutKeys(values: Record<string, unknown>) {
    const keys = this.resource.key.columns.flatMap((column) => [column.attribute, column.name])
    return omit(values, (name) => keys.includes(name))
  }
}

function omit(values: Record<string, unknown>, leaveOut: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !leaveOut(name)))
}

function shapeList(data: Item[], total: number, { paging }: ListRequest): ListResult {
  if (paging.shape === 'offset') return { data, total_count: total }
  return {
    data,
    total_count: total,
    has_more: paging.page * paging.itemsPerPage < total,
    page: paging.page,
    items_per_page: paging.itemsPerPage,
  }
}
