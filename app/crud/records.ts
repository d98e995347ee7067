import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Query } from './database/dialect.js'
import { dialectOf } from './database/dialects.js'
import { markLocated } from './events/write_scope.js'
import { forbidden, itemNotFound } from './http/problems.js'
import { noteKey } from './item_keys.js'
import type { CallOptions } from './lucid_crud.js'
import type { Operation } from './operations.js'
import { applyCondition } from './query/condition.js'
import type { ListRequest } from './query/list_request.js'
import type { Reader } from './query/reader.js'
import type { KeyValue } from './resource/key.js'
import type { Resource } from './resource/resource.js'
import type { DeletedMode } from './resource/soft_delete.js'
import type { Actor, Item } from './types.js'

type Options = CallOptions & { deleted?: DeletedMode }

const NOBODY: Actor = { kind: 'none' }

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
  async ask(action: Operation, { actor = NOBODY }: CallOptions, record?: LucidRow): Promise<void> {
    const { policy } = this.resource
    if (policy && !(await policy(actor, action, this.resource, record))) throw forbidden()
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
    const narrow = this.byKey(this.resource.key.fromCode(key), client, { ...options, deleted })
    const record = await this.reader.record(client, (query) => {
      narrow(query)
      query.forUpdate()
    })
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
      const records = await this.reader.records(client, (query) => {
        this.#visible(query, options.deleted ?? 'exclude', client, options)
        key.constrainToAny(query, some, dialectOf(client))
        if (lock) query.forUpdate()
      })
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
   * The item as it now is. A write that put it where its writer may not see it is refused.
   */
  async readBack(
    record: LucidRow,
    client: QueryClientContract,
    options: CallOptions
  ): Promise<Item> {
    const key = this.resource.key.of(record)
    const item = await this.reader.item(
      client,
      this.byKey(key, client, { ...options, deleted: 'include' })
    )
    if (!item) throw forbidden()
    return noteKey(item, key)
  }

  /**
   * Narrows to one item.
   */
  byKey(key: KeyValue, client: QueryClientContract, options: Options) {
    const dialect = dialectOf(client)
    return (query: Query) => {
      this.#visible(query, options.deleted ?? 'exclude', client, options)
      this.resource.key.constrain(query, key, dialect)
    }
  }

  /**
   * Narrows to the items of a list.
   */
  byConditions(
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
