import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '../actor.js'
import { dialectOf } from '../database/dialects.js'
import { markLocated } from '../events/write_scope.js'
import { forbidden, itemNotFound } from '../http/problems.js'
import { noteKey } from './item_keys.js'
import type { CallOptions } from '../lucid_crud.js'
import type { Operation } from './operation.js'
import { conditionToSql } from '../sql/conditions.js'
import type { ListRequest } from '../request/list_request.js'
import type { Reader } from '../sql/reader.js'
import type { Selection } from '../sql/select.js'
import type { KeyValue } from '../resource/key.js'
import type { Resource } from '../resource/resource.js'
import type { DeletedMode } from '../resource/soft_delete.js'
import { storedRowOf } from '../lucid/stored_rows.js'
import type { Item } from '../types.js'

type Options = CallOptions & { deleted?: DeletedMode; lock?: boolean }

/* A database takes only so many alternatives in one condition. */
const KEYS_AT_ONCE = 200

/**
 * The records of a resource as far as an actor may see them: the one place that asks policy and
 * scope. [P14]
 */
export class Records {
  constructor(readonly resource: Resource) {}

  get reader(): Reader {
    return this.resource.reader
  }

  /**
   * @throws Problem 403  when the policy refuses it
   */
  async ask(action: Operation, options: CallOptions, record?: LucidRow): Promise<void> {
    if (!(await this.allows(action, options, record))) throw forbidden()
  }

  /**
   * Whether the policy has nothing against it.
   */
  async allows(
    action: Operation,
    { actor = currentActor() }: CallOptions,
    record?: LucidRow
  ): Promise<boolean> {
    const { policy } = this.resource
    if (!policy || actor.kind === 'system') return true
    return Boolean(await policy(actor, action, this.resource, record))
  }

  /**
   * Whether the policy is to be asked about every record that leaves. [P14]
   */
  judgesRecords({ actor = currentActor() }: CallOptions): boolean {
    return this.resource.judgesRecords && actor.kind !== 'system'
  }

  /**
   * What asks the policy about a record that is being read, if there is a policy.
   *
   * @returns a function that throws Problem 403
   */
  judge(action: Operation, options: CallOptions) {
    if (!this.resource.policy) return undefined
    return (record: LucidRow) => this.ask(action, options, record)
  }

  /**
   * The record that is going to be written, locked where the database locks rows.
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
    })
    const record = await this.reader.record(client, one)
    if (!record) throw itemNotFound()
    markLocated(record)
    return record
  }

  /**
   * The records of the keys, in their order, each once.
   *
   * @param lock  whether they are going to be written
   * @throws UnknownKey  for the first key that is nobody's
   */
  async locateMany(
    keys: readonly unknown[],
    client: QueryClientContract,
    options: Options,
    lock: boolean
  ): Promise<LucidRow[]> {
    const { key } = this.resource
    const wanted = new Map(keys.map((one) => key.fromCode(one)).map((one) => [identity(one), one]))
    const found = new Map<string, LucidRow>()
    const all = [...wanted.values()]
    for (let start = 0; start < all.length; start += KEYS_AT_ONCE) {
      const some = all.slice(start, start + KEYS_AT_ONCE)
      const visible = this.#visible(options.deleted ?? 'exclude', client, options)
      const isWanted = key.isAny(some, dialectOf(client))
      const where = [...visible.where, isWanted]
      const records = await this.reader.records(client, { ...visible, where, lock })
      for (const record of records) {
        found.set(identity(key.of(record)), record)
        if (lock) markLocated(record)
      }
    }
    return [...wanted].map(([id, value]) => {
      const record = found.get(id)
      if (!record) throw new UnknownKey(value)
      return record
    })
  }

  /**
   * Asks about an item that the actor has created before, as it is by now. What is gone is nobody's
   * secret any more.
   *
   * @returns whether the actor may read it, too
   * @throws Problem 403  when the policy or the scope would not have it created so
   */
  async askAgain(
    key: KeyValue,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<boolean> {
    const { policy, scope } = this.resource
    if (!policy && !scope) return true
    const record = await this.#stored(key, client, options)
    if (!record) {
      if (await this.reader.attributes(client, key)) throw forbidden()
      return true
    }
    await this.ask('create', options, record)
    return await this.allows('read', options, record)
  }

  /**
   * Whether the policy lets the actor read an item, as the database has it now.
   */
  async maySee(key: KeyValue, client: QueryClientContract, options: CallOptions): Promise<boolean> {
    if (!this.judgesRecords(options)) return await this.allows('read', options)
    const record = await this.#stored(key, client, options)
    return record !== null && (await this.allows('read', options, record))
  }

  #stored(key: KeyValue, client: QueryClientContract, options: CallOptions) {
    return this.reader.record(client, this.byKey(key, client, { ...options, deleted: 'include' }))
  }

  /**
   * The item as it now is. A write that put it where its writer may not see it is refused.
   */
  async readBack(
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item> {
    const item = await this.find(record, client, options)
    if (!item) throw forbidden()
    return item
  }

  /**
   * The item as it now is, or null where its writer can't see it.
   */
  async find(
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item | null> {
    const key = this.resource.key.of(record)
    const row = this.resource.scope ? undefined : storedRowOf(record)
    const known = row && this.reader.itemOfRow(row)
    if (known) return noteKey(known, key)
    const narrow = this.byKey(key, client, { ...options, deleted: 'include' })
    const item = await this.reader.item(client, narrow)
    return item && noteKey(item, key)
  }

  /**
   * One item.
   */
  byKey(key: KeyValue, client: QueryClientContract, options: Options): Selection {
    const visible = this.#visible(options.deleted ?? 'exclude', client, options)
    const isWanted = this.resource.key.is(key, dialectOf(client))
    const lock = options.lock && client.isTransaction
    return { ...visible, where: [...visible.where, isWanted], lock }
  }

  /**
   * The items of a list.
   */
  byConditions(
    request: Pick<ListRequest, 'conditions' | 'deleted'>,
    client: QueryClientContract,
    options: CallOptions
  ): Selection {
    const visible = this.#visible(request.deleted, client, options)
    const dialect = dialectOf(client)
    const conditions = request.conditions.map((one) =>
      conditionToSql(this.resource.table, one, dialect)
    )
    return { ...visible, where: [...visible.where, ...conditions] }
  }

  /** What the actor may see at all. */
  #visible(
    deleted: DeletedMode,
    client: QueryClientContract,
    { actor = currentActor() }: CallOptions
  ): Selection {
    const { scope, softDelete } = this.resource
    const condition = softDelete?.condition(deleted, dialectOf(client))
    return {
      where: condition ? [condition] : [],
      ...(scope && actor.kind !== 'system' && { scope: (query) => scope(query, actor) }),
    }
  }
}

/**
 * One of several keys is nobody's.
 */
export class UnknownKey extends Error {
  constructor(readonly key: KeyValue) {
    super(`Item with id ${key.join(', ')} not found`)
  }
}

/** Drivers give the same key as number, text or bigint, and a UUID in either case. */
function identity(key: KeyValue): string {
  return JSON.stringify(key.map((part) => String(part)))
}
