import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import { markLocated } from '../events/write_scope.js'
import { forbidden } from '#base/http/access_problems'
import { itemNotFound, nothingStored } from '#base/http/problems'
import { VisibleRows, type SelectionOptions } from './visible_rows.js'
import { noteKey } from '#base/items'
import type { CallOptions } from './call_options.js'
import type { GrantedOperation } from '../resource/permissions.js'
import { identityOf, type KeyValue } from '#base/columns/key'
import { reachedOf } from './authorize.js'
import type { Condition } from '#base/columns/condition'
import type { DeletedMode } from '#base/columns/soft_delete'
import { orderOf, orderTerms } from '#base/columns/sort'
import { storedRowOf } from '../lucid/stored_rows.js'
import type { Item } from '../types.js'
import { UnknownKey } from '#base/errors'
import { KEYS_PER_CONDITION, chunks } from '#base/chunks'

/** A record that is going to be written. */
export interface Located {
  /** Record with all values, as a write requires */
  record: LucidRow
  /** Record as the actor sees it: null in the fields that are hidden on it; the same object if no fields are hidden */
  seen: LucidRow
}

/**
 * Reads and checks the records of a resource that an actor is allowed to see. `VisibleRows` has the conditions,
 * `Authorization` the policy.
 */
export class Records extends VisibleRows {
  /* Records with all values. In other records, values that are hidden from the actor can be null. */
  readonly #whole = new WeakSet<LucidRow>()

  /**
   * Returns the record to write, locked if the database supports row locks.
   *
   * @throws Problem 404
   */
  async locate(
    key: unknown,
    client: QueryClientContract,
    options: CallOptions,
    deleted: DeletedMode = 'exclude'
  ): Promise<LucidRow> {
    const one = this.byKey(this.resource.key.fromCode(key), client, {
      ...options,
      deleted,
      lock: true,
      whole: true,
    })
    const record = await this.reader.record(client, one)
    if (!record) throw itemNotFound()
    markLocated(record)
    this.#whole.add(record)
    return record
  }

  /**
   * Returns the records of the keys, in the order of the keys and without duplicates.
   *
   * @param lock  true if the records are going to be written
   * @throws UnknownKey  for the first key without a record
   */
  async locateMany(
    keys: readonly unknown[],
    client: QueryClientContract,
    options: SelectionOptions,
    lock: boolean
  ): Promise<LucidRow[]> {
    const found = await this.#locateKeys(keys, client, options, lock)
    return found.map(({ key, record }) => {
      if (!record) throw new UnknownKey(key)
      return record
    })
  }

  /**
   * Returns the existing records of the keys, in the order of the keys and without duplicates.
   *
   * @param lock  true if the records are going to be written
   */
  async findExisting(
    keys: readonly unknown[],
    client: QueryClientContract,
    options: SelectionOptions,
    lock = false
  ): Promise<LucidRow[]> {
    const found = await this.#locateKeys(keys, client, options, lock)
    return found.flatMap(({ record }) => record ?? [])
  }

  /**
   * Returns the records, except deleted ones, that meet a condition with the values that the actor can see, in no
   * particular order. A value that is hidden on a record does not match.
   *
   * @param lock  true if the records are going to be written in the client's transaction
   */
  async locateBy(
    condition: Condition,
    client: QueryClientContract,
    options: CallOptions,
    lock: boolean
  ): Promise<Located[]> {
    const { key, mixedColumns } = this.resource
    const wanted = { conditions: [condition], deleted: 'exclude' as const }
    const narrow = this.byConditions(wanted, client, options)
    if (mixedColumns.size === 0) {
      const records = await this.reader.records(client, { ...narrow, lock })
      return records.map((record) => ({ record: this.#located(record, lock), seen: record }))
    }
    const found = await this.reader.records(client, narrow)
    if (found.length === 0) return []
    const seen = new Map(found.map((record) => [identityOf(key.of(record)), record]))
    const visible = this.visible('exclude', client, { ...options, whole: true })
    const isFound = key.isAny(
      found.map((record) => key.of(record)),
      dialectOf(client)
    )
    const where = [...visible.where, isFound]
    const records = await this.reader.records(client, { ...visible, where, lock })
    return records.map((record) => ({
      record: this.#located(record, lock),
      seen: seen.get(identityOf(key.of(record))) ?? record,
    }))
  }

  /**
   * Reads and locks the first records of a list in the order of their keys, for a resource without values that are
   * hidden on some records.
   */
  async lockMatching(
    request: Parameters<VisibleRows['byConditions']>[0],
    most: number,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<LucidRow[]> {
    const { key, table } = this.resource
    const order = orderTerms(table, orderOf([], key.columns), dialectOf(client))
    const selection = { ...this.byConditions(request, client, options), order, limit: most }
    const records = await this.reader.records(client, { ...selection, lock: true })
    return records.map((record) => this.#located(record, true))
  }

  #located(record: LucidRow, lock: boolean): LucidRow {
    if (lock) markLocated(record)
    this.#whole.add(record)
    return record
  }

  async #locateKeys(
    keys: readonly unknown[],
    client: QueryClientContract,
    options: SelectionOptions,
    lock: boolean
  ) {
    const { key } = this.resource
    const wanted = new Map(
      keys.map((one) => key.fromCode(one)).map((one) => [identityOf(one), one])
    )
    const found = new Map<string, LucidRow>()
    for (const some of chunks([...wanted.values()], KEYS_PER_CONDITION)) {
      const visible = this.visible(options.deleted ?? 'exclude', client, {
        ...options,
        whole: lock,
      })
      const isWanted = key.isAny(some, dialectOf(client))
      const where = [...visible.where, isWanted]
      const records = await this.reader.records(client, { ...visible, where, lock })
      for (const record of records) {
        found.set(identityOf(key.of(record)), record)
        if (!lock) continue
        markLocated(record)
        this.#whole.add(record)
      }
    }
    return [...wanted].map(([id, value]) => ({ key: value, record: found.get(id) }))
  }

  /**
   * Authorizes a repeated create or update of an item in its current state. An item that no longer exists needs no
   * authorization.
   *
   * @returns true if the actor is also allowed to read the item
   * @throws Problem 403  when the policy or the scope refuses it
   */
  async authorizeAgain(
    operation: 'create' | 'update',
    key: KeyValue,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<boolean> {
    const { policy, projection, scope } = this.resource
    if (!policy && !projection && !scope) return true
    if (!this.resource.permits(operation)) throw forbidden()
    const record = await this.#stored(key, client, options)
    if (!record) {
      if (!(await this.reader.attributes(client, key))) return true
      if (!(await this.#isLeftTo(operation, key, client, options))) throw forbidden()
      return false
    }
    await this.authorizeReach(operation, [record], client, options)
    await this.authorize(operation, options, record)
    return await this.allows('read', options, record)
  }

  /** True if the policy lets the actor read an item in its current state. */
  async maySee(key: KeyValue, client: QueryClientContract, options: CallOptions): Promise<boolean> {
    if (!this.authorizesRecords(options)) return await this.allows('read', options)
    const record = await this.#stored(key, client, options)
    return record !== null && (await this.allows('read', options, record))
  }

  #stored(key: KeyValue, client: QueryClientContract, options: CallOptions) {
    return this.reader.record(client, this.byKey(key, client, { ...options, deleted: 'include' }))
  }

  /**
   * Returns the item after a write; null if the writer is not allowed to read it. Refuses a write that moves the item
   * out of the scope of the grants for the operation.
   *
   * @throws Problem 403, or 409 if a trigger of the database has deleted the item
   */
  async readBack(
    operation: 'create' | 'update',
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item | null> {
    const { key, projection } = this.resource
    const item = await this.find(record, client, options)
    const isAsRead = !projection || projection.matchesReadableRecords(operation)
    if (isAsRead ? item : item && projection.reach(operation) === null) return item
    if (isAsRead && !this.resource.scope) throw nothingStored()
    if (isAsRead || !(await this.#isLeftTo(operation, key.of(record), client, options))) {
      throw forbidden()
    }
    return item
  }

  /** True if a write could move a record out of the writer's scope. */
  narrows(operation: 'create' | 'update'): boolean {
    const { projection, scope } = this.resource
    return scope !== undefined || Boolean(projection?.reach(operation))
  }

  /**
   * Returns those readable records that the grants for an operation include. Runs no statement if they include all of
   * them.
   *
   * @returns keys of the records, by `identityOf`
   */
  async reaches(
    operation: GrantedOperation,
    keys: readonly KeyValue[],
    client: QueryClientContract,
    options: CallOptions
  ): Promise<ReadonlySet<string>> {
    const { projection } = this.resource
    if (!projection || projection.coversReadableRecords(operation)) {
      return new Set(keys.map((key) => identityOf(key)))
    }
    const reach = projection.reach(operation)
    const reached = await reachedOf(this.resource, keys, [reach], client, options)
    return new Set([...reached].flatMap(([id, [isReached]]) => (isReached ? [id] : [])))
  }

  /**
   * Checks that the grants for an operation include the located records.
   *
   * @throws Problem 403  if any record is outside the grants
   */
  async authorizeReach(
    operation: GrantedOperation,
    records: readonly LucidRow[],
    client: QueryClientContract,
    options: CallOptions
  ): Promise<void> {
    const { key, projection } = this.resource
    if (!projection || projection.coversReadableRecords(operation)) return
    const keys = records.map((record) => key.of(record))
    const reached = await this.reaches(operation, keys, client, options)
    if (keys.some((one) => !reached.has(identityOf(one)))) throw forbidden()
  }

  /** Returns a located record as the actor sees it: null in the fields that are hidden on it. */
  async seen(
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<LucidRow> {
    if (this.resource.mixedColumns.size === 0) return record
    return (await this.#stored(this.resource.key.of(record), client, options)) ?? record
  }

  /** Passes the stored record to the policy, without nulls for hidden values. */
  override async allows(
    action: GrantedOperation,
    options: CallOptions,
    record?: LucidRow
  ): Promise<boolean> {
    const { mixedColumns, policy } = this.resource
    const isMasked =
      record?.$isPersisted && policy && mixedColumns.size > 0 && !this.#whole.has(record)
    return await super.allows(
      action,
      options,
      isMasked ? await this.#wholeOf(record, options) : record
    )
  }

  async #wholeOf(record: LucidRow, options: CallOptions): Promise<LucidRow> {
    const { base, key } = this.resource
    const client = record.$trx ?? options.client ?? base.client()
    const where = [key.is(key.of(record), dialectOf(client))]
    return (await base.reader.record(client, { where })) ?? record
  }

  /** True if the record is still in the scope of the operation's grants and of the model. */
  async #isLeftTo(
    operation: GrantedOperation,
    key: KeyValue,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<boolean> {
    const { base, projection } = this.resource
    if (!projection) return false
    const reaches = [projection.reach(operation), base.scope ? [base.scope] : null]
    const reached = await reachedOf(this.resource, [key], reaches, client, options)
    return reached.get(identityOf(key))?.every(Boolean) ?? false
  }

  /** Returns the item after a write, or null if it is outside the writer's scope. */
  async find(
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item | null> {
    const key = this.resource.key.of(record)
    const { mixedColumns, scope } = this.resource
    const row = scope || mixedColumns.size > 0 ? undefined : storedRowOf(record)
    const known = row && this.reader.itemOfRow(row)
    if (known) return noteKey(known, key)
    const item = await this.itemOf(key, client, options)
    return item && noteKey(item, key)
  }

  /** Returns the item of a key as the actor sees it, deleted or not. */
  async itemOf(
    key: KeyValue,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item | null> {
    const narrow = this.byKey(key, client, { ...options, deleted: 'include' })
    return await this.reader.item(client, narrow)
  }
}
