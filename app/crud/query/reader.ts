import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Query } from '../database/dialect.js'
import { dialectOf } from '../database/dialects.js'
import { noteKey } from '../item_keys.js'
import type { Column } from '../resource/column.js'
import type { KeyValue } from '../resource/key.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import { attributeToWire, toWire } from '../values/to_wire.js'

const METHODS_OF_JSON = ['toJSON', 'serialize', 'serializeAttributes'] as const

type Narrow = (query: Query) => void

/**
 * Reads items. Rows become items without a model instance in between where that makes no
 * difference; a model with read hooks, computed properties or columns that convert themselves is
 * hydrated as Lucid would.
 */
export class Reader {
  constructor(private readonly resource: Resource) {}

  /**
   * The items of a list.
   */
  async items(
    client: QueryClientContract,
    narrow: Narrow,
    { keys = false }: { keys?: boolean } = {}
  ): Promise<Item[]> {
    const { columns, fields, key } = this.resource
    const hydrate = this.#needsHydration('before:fetch', 'after:fetch')
    const withKeys = keys ? [...new Set([...fields, ...key.columns])] : fields
    const query = this.#query(client, narrow, hydrate ? columns.all : withKeys)
    if (!hydrate) query.pojo()
    const rows = await dialectOf(client).read(client, query, () => query)
    return rows.map((row: any) => {
      const item = hydrate ? this.toItem(row) : this.#rowToItem(row)
      if (!keys) return item
      return noteKey(item, hydrate ? key.of(row) : key.ofRow(row))
    })
  }

  /**
   * One item, or null.
   */
  async item(client: QueryClientContract, narrow: Narrow): Promise<Item | null> {
    if (this.#needsHydration('before:find', 'after:find')) {
      const record = await this.record(client, narrow)
      return record && this.toItem(record)
    }
    const query = this.#query(client, narrow)
    query.pojo().limit(1)
    const [row] = await dialectOf(client).read(client, query, () => query)
    return row ? this.#rowToItem(row) : null
  }

  /**
   * One item as a model instance, or null.
   */
  async record(client: QueryClientContract, narrow: Narrow): Promise<LucidRow | null> {
    const query = this.#query(client, narrow, this.resource.columns.all)
    return await dialectOf(client).read(client, query, () => query.first())
  }

  /**
   * Items as model instances.
   */
  async records(client: QueryClientContract, narrow: Narrow): Promise<LucidRow[]> {
    const query = this.#query(client, narrow, this.resource.columns.all)
    return await dialectOf(client).read(client, query, () => query)
  }

  /**
   * The attributes of one row as the database has them, whoever may see it: no scope and no hook
   * narrows this. In a transaction the row is locked.
   */
  async attributes(
    client: QueryClientContract,
    key: KeyValue
  ): Promise<Record<string, unknown> | null> {
    const { columns, key: keys, model } = this.resource
    const dialect = dialectOf(client)
    const narrow = (query: Query) => keys.constrain(query, key, dialect)
    const query = this.#query(client, narrow, columns.all)
    query.pojo().limit(1)
    if (client.isTransaction) query.forUpdate()
    const [row] = await dialect.read(client, query, () => query)
    const record = row && model.$createFromAdapterResult(row)
    return record ? { ...record.$attributes } : null
  }

  /**
   * How many rows there are.
   */
  async count(client: QueryClientContract, narrow: Narrow): Promise<number> {
    const query = this.resource.model.query({ client }) as Query
    narrow(query)
    /* What a fetch hook leaves out of the list does not count, either. */
    await this.resource.model.$hooks.runner('before:fetch').run(query)
    query.clearSelect().clearOrder().count('* as total').pojo()
    const [row] = await dialectOf(client).read(client, query, () => query)
    return Number(row.total)
  }

  /**
   * How many rows there are of each day of a datetime column.
   */
  async countByDay(
    client: QueryClientContract,
    column: Column,
    narrow: Narrow
  ): Promise<Array<{ day: string; count: number }>> {
    const { model, table } = this.resource
    const query = model.query({ client }) as Query
    narrow(query)
    await model.$hooks.runner('before:fetch').run(query)
    query
      .clearSelect()
      .clearOrder()
      .select(client.raw('substr(??, 1, 10) as day', [`${table}.${column.name}`]) as any)
      .count('* as total')
      .groupByRaw('1')
      .pojo()
    const rows = await dialectOf(client).read(client, query, () => query)
    return rows.map(({ day, total }: any) => ({ day, count: Number(total) }))
  }

  /**
   * The wire's form of a model instance.
   */
  toItem(record: LucidRow): Item {
    if (this.#serializesItself) return record.toJSON()
    const item: Item = {}
    const attributes = record as unknown as Record<string, unknown>
    for (const column of this.resource.fields) {
      item[column.wire] = attributeToWire(column, record)
    }
    for (const [attribute, name] of this.resource.computed) {
      const value = attributes[attribute]
      if (value !== undefined) item[name] = value
    }
    return item
  }

  #rowToItem(row: Record<string, unknown>): Item {
    const item: Item = {}
    for (const column of this.resource.fields) {
      item[column.wire] = toWire(column, row[column.name])
    }
    return item
  }

  #query(
    client: QueryClientContract,
    narrow: Narrow,
    columns: readonly Column[] = this.resource.fields
  ): Query {
    const { model, table } = this.resource
    const dialect = dialectOf(client)
    const query = model.query({ client }) as Query
    for (const column of columns) {
      const { sql, bindings } = dialect.selectExpression(table, column)
      query.select(client.raw(sql, bindings) as any)
    }
    narrow(query)
    return query
  }

  /** A model that says how it becomes JSON is taken at its word. */
  get #serializesItself(): boolean {
    const own = this.resource.model.prototype
    return METHODS_OF_JSON.some((name) => own[name] !== BaseModel.prototype[name])
  }

  #needsHydration(...hooks: Array<'before:find' | 'after:find' | 'before:fetch' | 'after:fetch'>) {
    const { computed, fields, model } = this.resource
    return (
      computed.size > 0 ||
      this.#serializesItself ||
      fields.some((column) => column.needsHydration) ||
      hooks.some((hook) => model.$hooks.has(hook))
    )
  }
}
