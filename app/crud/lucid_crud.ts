import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { AnswerRoom } from './http/answer_room.js'
import { dialectOf } from './database/dialects.js'
import { faultToProblem } from './database/fault_to_problem.js'
import { afterOutermostCommit } from './database/outermost_commit.js'
import { inTransaction } from './database/transaction.js'
import { crudOptionsOf } from './decorator.js'
import { embed, linksOf } from './operations/include.js'
import { hasForeignHook } from './lucid/own_hooks.js'
import { Pivots } from './events/pivots.js'
import { gatherWrites } from './events/write_scope.js'
import { checkFiles } from './operations/check_files.js'
import { countAllowed, countAllowedByDay, isAnyAllowed } from './operations/allowed_records.js'
import { readList, type ListOptions, type ListResult } from './operations/list.js'
import { fieldsOf, type Fields } from './request/fields.js'
import { selectInclusions } from './request/include_parameter.js'
import { conditionsFromCode, ListRequest, type ListQuery } from './request/list_request.js'
import type { Selection } from './sql/select.js'
import {
  insertRecord,
  removeRecord,
  saveRecord,
  stampNew,
  stampUpdate,
  tellBytesApart,
} from './lucid/record_writes.js'
import { noteUnreadable } from './operations/item_keys.js'
import type { Operation } from './operations/operation.js'
import { Records } from './operations/records.js'
import { checkReferences } from './operations/check_references.js'
import { Resource } from './resource/resource.js'
import type { Inclusion } from './resource/included_relation.js'
import type { DeletedMode } from './resource/soft_delete.js'
import { crudConfig } from './settings.js'
import { forgetStoredRow } from './lucid/stored_rows.js'
import type { Actor, ColumnSettings, Item, Origin } from './types.js'

/**
 * What every operation takes beside its data.
 */
export interface CallOptions {
  /** The client to use; a transaction's, to be part of it [P8] */
  client?: QueryClientContract
  /** Who asks; policy and scope are asked about them [P14] */
  actor?: Actor
  /** Where the request came from, if it was one; for events */
  origin?: Origin
  /** What a list may take of the memory; without it, nobody counts */
  room?: AnswerRoom
  /** Names of files that were uploaded for this very write; columns of files take no others [B17] */
  files?: ReadonlySet<string>
}

/**
 * What the overridable methods are given: what the caller gave, and the write's own transaction. [P8]
 */
export interface HookOptions extends CallOptions {
  client: TransactionClientContract
}

/**
 * What the read of one item takes.
 */
export interface ReadOptions extends CallOptions {
  deleted?: DeletedMode
  /** Whether the row stays as it is for the rest of the transaction; without one it means nothing */
  lock?: boolean
  /** Wire names, as in `id,name` or a list of them; undefined: all fields [Q2] */
  fields?: string | Iterable<string> | Fields
  /** Declared relations to embed, as in `distributor` or a list of them [Q3] */
  include?: string | Iterable<string | Inclusion>
}

/**
 * What a write of one item may ask of it, as it is when the write has locked it.
 */
export interface WriteOptions extends CallOptions {
  /** Throws what to answer when the item is not as the caller thinks; nothing is written then */
  precondition?: (record: LucidRow) => void | Promise<void>
}

/**
 * What an update may ask beside.
 */
export interface UpdateOptions extends WriteOptions {
  /** Whether the changed item is the result, for who may read it */
  returning?: boolean
  /** Is given the item as the update leaves it, if its writer can see and may read it, before the commit */
  written?: (item: Item) => void
}

/**
 * The operations on one model: what the endpoints, the admin site and own code all go through. Each
 * write runs in a transaction, the caller's if one is given, with the model's own hooks; policy and
 * scope are asked in every one. [P8, P14]
 *
 * Values go in by attribute name, as Lucid has them; items come out as the wire has them.
 */
export class LucidCrud<Model extends LucidModel = LucidModel> {
  #resource: Resource | undefined
  #store: Records | undefined

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
    _options: HookOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /**
   * Overridable: the same for an update of the record. [P6]
   */
  prepareUpdate(
    values: Record<string, unknown>,
    _record: LucidRow,
    _options: HookOptions
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.#withoutVirtual(values)
  }

  /**
   * Overridable: what goes with a new record once its row is written, in the same transaction
   * (`options.client`); what it throws is the answer, and nothing is stored. What it does to the record's
   * many-to-many relations is a part of the write for events and the log. [P8, E3]
   *
   * @param values  as the create was given them, virtual fields included
   */
  afterCreate(
    _record: LucidRow,
    _values: Record<string, unknown>,
    _options: HookOptions
  ): void | Promise<void> {}

  /**
   * Overridable: the same after an update, even one that changes no column. [P8, E3]
   */
  afterUpdate(
    _record: LucidRow,
    _values: Record<string, unknown>,
    _options: HookOptions
  ): void | Promise<void> {}

  /**
   * Overridable: what goes with the deletion of the record, soft or for good, in the same transaction
   * (`options.client`); what it throws is the answer, and nothing is deleted.
   */
  prepareDelete(_record: LucidRow, _options: HookOptions): void | Promise<void> {}

  /**
   * Stores a new item.
   *
   * @param values  by attribute name
   * @returns the item as `get` returns it
   * @throws Problem 403, 409 or 422
   */
  async create(values: Record<string, unknown>, options: CallOptions = {}): Promise<Item> {
    return await this.#write(options, async (client, attempt) => {
      checkFiles(this.resource, values, undefined, options)
      const record = new this.model() as LucidRow
      attempt.record = record
      record.useTransaction(client)
      const own = { ...options, client }
      const pivots = await this.#pivotsOf('create', record)
      record.merge((await this.prepareCreate(values, own)) as any)
      stampNew(record, this.resource)
      await this.#records.ask('create', options, record)
      await checkReferences(this.resource, record, client, options)
      await insertRecord(record, this.resource, client)
      await this.#after('Create', record, values, own)
      await pivots?.note(client)
      const item = await this.#records.readBack(record, client, options)
      const isReadable = await this.#records.maySee(this.resource.key.of(record), client, options)
      return isReadable ? item : noteUnreadable(item)
    })
  }

  /**
   * One item.
   *
   * @param key  the key's value; an array of its parts if it is composite
   * @returns null if there is no such item
   * @throws Problem 403, or 422 for a field or a relation that is none
   */
  async get(key: unknown, options: ReadOptions = {}): Promise<Item | null> {
    const client = await this.#clientOf(options)
    const { key: keys, table } = this.resource
    const fields = fieldsOf(this.resource, options.fields)
    const include = selectInclusions(this.resource, options.include)
    const found = await this.#records.reader.findOne(
      client,
      this.#records.byKey(keys.fromCode(key), client, options),
      {
        fields,
        beside: linksOf(include, table, dialectOf(client)),
        judge: this.#records.judge('read', options),
      }
    )
    if (found) await embed([found], include, client, options)
    return found && found.item
  }

  /**
   * One item as a model instance, with what answers do not show.
   *
   * @returns null if there is no such item
   * @throws Problem 403
   */
  async find(
    key: unknown,
    options: CallOptions & { deleted?: DeletedMode; lock?: boolean } = {}
  ): Promise<LucidRow | null> {
    const client = await this.#clientOf(options)
    const one = this.#records.byKey(this.resource.key.fromCode(key), client, options)
    const record = await this.#records.reader.record(client, one)
    if (record) await this.#records.ask('read', options, record)
    return record
  }

  /**
   * Several items as model instances, in the order of their keys, each once.
   *
   * @throws UnknownKey   for the first key that is nobody's
   * @throws Problem 403
   */
  async findMany(
    keys: readonly unknown[],
    options: CallOptions & { deleted?: DeletedMode } = {}
  ): Promise<LucidRow[]> {
    const client = await this.#clientOf(options)
    const records = await this.#records.locateMany(keys, client, options, false)
    for (const record of records) await this.#records.ask('read', options, record)
    return records
  }

  /**
   * A list of items.
   *
   * @throws Problem 403, or 422 for a sort, a field or a relation that can't be
   * @throws ValueError  for a filter that can't be
   */
  async getMulti(
    query: ListQuery | ListRequest = {},
    options: ListOptions = {}
  ): Promise<ListResult> {
    const client = await this.#clientOf(options)
    const request =
      query instanceof ListRequest
        ? query
        : ListRequest.fromCode(this.resource, query, crudConfig().pagination)
    await this.#records.ask('read_multi', options)
    if (!options.room) return await readList(this.#records, request, client, options)
    return await options.room.forList((room) =>
      readList(this.#records, request, client, { ...options, room })
    )
  }

  /**
   * How many items match the filters.
   *
   * @param filters  filter name (`price__gte`) -> value, for any column
   * @returns null where the policy looks at records and more than 10,000 would have to be judged [P14]
   */
  async count(
    filters: Record<string, unknown> = {},
    options: CallOptions & { deleted?: DeletedMode } = {}
  ): Promise<number | null> {
    const client = await this.#clientOf(options)
    const matching = await this.#matching(filters, client, options)
    return this.#records.judgesRecords(options)
      ? await countAllowed(this.#records, client, matching, options)
      : await this.#records.reader.count(client, matching)
  }

  /**
   * How many items there are of each day, in UTC, of a datetime column.
   *
   * @param wire   the column's wire name
   * @param first  the first day, as YYYY-MM-DD
   * @returns the days that have any, in no order; null where the policy looks at records and more than
   *   10,000 would have to be judged [P14]
   * @throws Problem 403
   */
  async countByDay(
    wire: string,
    first: string,
    options: CallOptions = {}
  ): Promise<Array<{ day: string; count: number }> | null> {
    const client = await this.#clientOf(options)
    const matching = await this.#matching(
      { [`${wire}__gte`]: `${first} 00:00:00` },
      client,
      options
    )
    const column = this.resource.columns.find(wire)!
    return this.#records.judgesRecords(options)
      ? await countAllowedByDay(this.#records, client, column, matching, options)
      : await this.#records.reader.countByDay(client, column, matching)
  }

  /**
   * Whether any item matches the filters.
   */
  async exists(
    filters: Record<string, unknown>,
    options: CallOptions & { deleted?: DeletedMode } = {}
  ): Promise<boolean> {
    if (!this.#records.judgesRecords(options)) return (await this.count(filters, options))! > 0
    const client = await this.#clientOf(options)
    const matching = await this.#matching(filters, client, options)
    return await isAnyAllowed(this.#records, client, matching, options)
  }

  /**
   * Whether the policy has nothing against an operation, on a record if one is given. [P14]
   */
  async allows(action: Operation, options: CallOptions, record?: LucidRow): Promise<boolean> {
    return await this.#records.allows(action, options, record)
  }

  /**
   * Changes an item. No values change nothing, the update timestamp neither. [A23]
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
    return await this.#write(options, async (client, attempt) => {
      const record = await this.#records.locate(key, client, options)
      attempt.record = record
      await this.#records.ask('update', options, record)
      await options.precondition?.(record)
      checkFiles(this.resource, values, record, options)
      const own = { ...options, client }
      const pivots = await this.#pivotsOf('update', record)
      const changes = this.#withoutKeys(await this.prepareUpdate(values, record, own))
      const isChanged = Object.keys(changes).length > 0
      if (isChanged) {
        tellBytesApart(record)
        record.merge(changes as any)
        /* The policy may allow the row as it was, and not as it would be. */
        await this.#records.ask('update', options, record)
        await checkReferences(this.resource, record, client, options)
        stampUpdate(record, this.resource)
        await saveRecord(record, this.resource, client)
      }
      await this.#after('Update', record, values, own)
      await pivots?.note(client)
      const mustBeSeen = options.returning || (isChanged && this.resource.scope)
      const item = mustBeSeen
        ? await this.#records.readBack(record, client, options)
        : options.written && (await this.#records.find(record, client, options))
      const isWanted = options.returning || options.written
      if (!item || !isWanted || !(await this.#records.allows('read', options, record))) return null
      options.written?.(item)
      return options.returning ? item : null
    })
  }

  /**
   * Deletes an item: marks it where soft delete is configured, else removes it. [A21]
   *
   * @throws Problem 403, 404 or 409
   */
  async delete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#write(options, async (client) => {
      const record = await this.#records.locate(key, client, options)
      await this.#records.ask('delete', options, record)
      await options.precondition?.(record)
      await this.prepareDelete(record, { ...options, client })
      await this.#markOrRemove(record, client)
    })
  }

  /**
   * Removes an item for good, soft-deleted or not. [A22]
   *
   * @throws Problem 403, 404 or 409
   */
  async dbDelete(key: unknown, options: WriteOptions = {}): Promise<void> {
    await this.#write(options, async (client) => {
      const record = await this.#records.locate(key, client, options, 'include')
      await this.#records.ask('db_delete', options, record)
      await options.precondition?.(record)
      await this.prepareDelete(record, { ...options, client })
      await removeRecord(record, this.resource, client)
    })
  }

  /**
   * Deletes several items, all of them or none: as `delete` does, or as `dbDelete`. [S52]
   *
   * @returns the records, as they were read
   * @throws UnknownKey  for the first key that is nobody's
   * @throws Problem 403 or 409
   */
  async deleteMany(
    keys: readonly unknown[],
    options: CallOptions & { hard?: boolean } = {}
  ): Promise<LucidRow[]> {
    const { hard = false } = options
    const deleted = hard ? 'include' : 'exclude'
    return await this.#writeMany(keys, { ...options, deleted }, async (record, client) => {
      await this.#records.ask(hard ? 'db_delete' : 'delete', options, record)
      await this.prepareDelete(record, { ...options, client })
      if (hard) await removeRecord(record, this.resource, client)
      else await this.#markOrRemove(record, client)
    })
  }

  /**
   * Takes back the soft deletion of several items, all of them or none. [B16]
   *
   * @returns the records
   * @throws UnknownKey  for the first key that is no soft-deleted item's
   * @throws Problem 403 or 409
   */
  async restoreMany(keys: readonly unknown[], options: CallOptions = {}): Promise<LucidRow[]> {
    return await this.#writeMany(keys, { ...options, deleted: 'only' }, async (record, client) => {
      await this.#records.ask('delete', options, record)
      record.merge(this.resource.softDelete!.unmark() as any)
      stampUpdate(record, this.resource)
      await saveRecord(record, this.resource, client)
    })
  }

  /**
   * Calls back once what was written through the client is there for good: after the outermost
   * transaction's commit, at once without a transaction, never after a rollback. [E1]
   */
  afterCommit(client: QueryClientContract, callback: () => void): void {
    afterOutermostCommit(client, callback)
  }

  get #records(): Records {
    this.#store ??= new Records(this.resource)
    return this.#store
  }

  async #clientOf(options: CallOptions): Promise<QueryClientContract> {
    await this.resource.load(options.client)
    return options.client ?? this.resource.client()
  }

  /** The rows that a question about many is about, once the policy lets the actor ask it. */
  async #matching(
    filters: Record<string, unknown>,
    client: QueryClientContract,
    options: CallOptions & { deleted?: DeletedMode }
  ): Promise<Selection> {
    await this.#records.ask('read_multi', options)
    const conditions = conditionsFromCode(this.resource, filters)
    const { deleted = 'exclude' } = options
    return this.#records.byConditions({ conditions, deleted }, client, options)
  }

  /**
   * Runs a write in a transaction (in a savepoint of the caller's, if that is one) and turns what the
   * driver refuses into a problem. The work says which record it writes values of.
   */
  async #write<Result>(
    options: CallOptions,
    work: (client: TransactionClientContract, attempt: { record?: LucidRow }) => Promise<Result>
  ): Promise<Result> {
    const client = await this.#clientOf(options)
    const attempt: { record?: LucidRow } = {}
    try {
      return await inTransaction(client, (transaction) =>
        gatherWrites(transaction, this.#actionOf(options), () => work(transaction, attempt))
      )
    } catch (error) {
      throw (await faultToProblem(error, this.resource, attempt.record, client)) ?? error
    }
  }

  /** What it does may change the row once more. */
  async #after(
    kind: 'Create' | 'Update',
    record: LucidRow,
    values: Record<string, unknown>,
    options: HookOptions
  ): Promise<void> {
    if (!this.#overrides(`after${kind}`)) return
    await this[`after${kind}`](record, values, options)
    forgetStoredRow(record)
  }

  /** Without own code nothing happens to the record's relations, so nobody need read them. */
  async #pivotsOf(action: 'create' | 'update', record: LucidRow): Promise<Pivots | undefined> {
    const isNew = action === 'create'
    const own = isNew
      ? (['prepareCreate', 'afterCreate'] as const)
      : (['prepareUpdate', 'afterUpdate'] as const)
    const hooks = ['before:save', 'after:save', `before:${action}`, `after:${action}`]
    const hasOwnCode =
      own.some((name) => this.#overrides(name)) ||
      hooks.some((name) => hasForeignHook(this.model, name))
    return hasOwnCode ? await Pivots.of(this.resource, record, { isNew }) : undefined
  }

  #overrides(name: 'prepareCreate' | 'prepareUpdate' | 'afterCreate' | 'afterUpdate'): boolean {
    return this[name] !== LucidCrud.prototype[name]
  }

  #actionOf({ actor, origin }: CallOptions) {
    return { model: this.model, actor, origin }
  }

  async #writeMany(
    keys: readonly unknown[],
    options: CallOptions & { deleted: DeletedMode },
    work: (record: LucidRow, client: TransactionClientContract) => Promise<void>
  ): Promise<LucidRow[]> {
    return await this.#write(options, async (client, attempt) => {
      const records = await this.#records.locateMany(keys, client, options, true)
      for (const record of records) {
        attempt.record = record
        await work(record, client)
      }
      return records
    })
  }

  async #markOrRemove(record: LucidRow, client: TransactionClientContract) {
    const { softDelete } = this.resource
    if (!softDelete) return await removeRecord(record, this.resource, client)
    record.merge(softDelete.mark() as any)
    await saveRecord(record, this.resource, client)
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
