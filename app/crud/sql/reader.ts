import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { AnswerRoom } from '../http/answer_room.js'
import type { Dialect, Query } from '../database/dialect.js'
import { dialectOf } from '../database/dialects.js'
import { noteKey } from '../operations/item_keys.js'
import type { Column } from '../resource/column.js'
import type { KeyValue } from '../resource/key.js'
import type { Resource } from '../resource/resource.js'
import type { Item } from '../types.js'
import { withQuickMoments } from '../lucid/lucid_moments.js'
import { attributeToWire, wireForm } from '../values/to_api.js'
import { pickFields, type Fields } from '../request/fields.js'
import { readLargeValues, sizeBeside, sizedRead, takeRoomFor } from './large_values.js'
import { applySelection, selectList, selectStatement, type Selection } from './select.js'

const METHODS_OF_JSON = ['toJSON', 'serialize', 'serializeAttributes'] as const

type ReadHook = 'before:find' | 'after:find' | 'before:fetch' | 'after:fetch'

type Row = Record<string, unknown>

/**
 * What is read beside the columns of a row.
 */
export interface Beside {
  /** What the result calls it */
  as: string
  /** The select expression, its name included */
  sql: string
}

/**
 * What is wanted of each item.
 */
export interface Wanted {
  /** Default: all fields */
  fields?: Fields
  /** Whether `keyOf` is to know the items' keys */
  keys?: boolean
  beside?: readonly Beside[]
  /** What the items may take of the memory; without it, nobody counts */
  room?: AnswerRoom
  /** After so many characters texts may be cut; default: they are whole */
  cut?: number
}

/**
 * A record that has been read, and what was read beside it.
 */
export interface Read {
  record: LucidRow
  beside: Row
}

/**
 * An item, and what was read beside it, by the names in the result.
 */
export interface Found {
  item: Item
  beside: Row
}

/**
 * Reads items. Rows become items without a model instance in between where that makes no
 * difference; a model with read hooks, computed properties or columns that convert themselves is
 * hydrated as Lucid would.
 */
export class Reader {
  /* What is selected of each row never changes; to say it takes longer than to look it up. */
  readonly #lists = new WeakMap<Dialect, WeakMap<readonly Column[], string>>()

  readonly #keyed = new WeakMap<readonly Column[], readonly Column[]>()

  constructor(private readonly resource: Resource) {}

  /**
   * The items of a list.
   */
  async items(
    client: QueryClientContract,
    selection: Selection,
    wanted: Wanted = {}
  ): Promise<Item[]> {
    const found = await this.find(client, selection, wanted)
    return found.map(({ item }) => item)
  }

  /**
   * The items of a list, each with what was read beside it.
   *
   * @param begun  the query that goes on, if not one of all rows
   */
  async find(
    client: QueryClientContract,
    selection: Selection,
    wanted: Wanted,
    begun?: Query
  ): Promise<Found[]> {
    const { fields = this.resource.answer, keys = false, beside = [], room, cut } = wanted
    const { key } = this.resource
    if (this.#needsHydration(fields, 'before:fetch', 'after:fetch')) {
      const read = await this.readRecords(client, selection, { beside, begun, room })
      return read.map((one) => this.foundOf(one, wanted))
    }
    const columns = keys ? this.#withKeys(fields.columns) : fields.columns
    const rows = room
      ? await this.#rowsWithin(room, client, selection, columns, { beside, begun, cut })
      : await this.#rows(client, selection, columns, { beside, begun })
    const toItem = itemOf(fields)
    return rows.map((row) => {
      const item = toItem(row)
      return { item: keys ? noteKey(item, key.ofRow(row)) : item, beside: row }
    })
  }

  /**
   * The records of a list, each with what was read beside it.
   *
   * @param begun  the query that goes on, if not one of all rows
   * @param room   what they may take of the memory; without it, nobody counts
   * @throws Problem 413 or 503  when there is no room for them
   */
  async readRecords(
    client: QueryClientContract,
    selection: Selection,
    { beside = [], begun, room }: { beside?: readonly Beside[]; begun?: Query; room?: AnswerRoom }
  ): Promise<Read[]> {
    const { columns, model } = this.resource
    if (room) await this.#makeRoom(client, selection, room, begun)
    const isPlain = !begun && !this.#needsBuilder(selection)
    if (!isPlain || this.#hasHooks('before:fetch', 'after:fetch')) {
      const records = await this.#query(client, selection, columns.all, { beside, begun })
      return records.map((record: LucidRow) => ({ record, beside: takeBeside(record, beside) }))
    }
    const rows = await this.#rows(client, selection, columns.all, { beside })
    return rows.map((row) => {
      const quick = withQuickMoments(model, row)
      const record = model.$createFromAdapterResult(quick, {}, optionsOf(client))!
      return { record, beside: takeBeside(record, beside) }
    })
  }

  /**
   * The item of a record that has been read.
   */
  foundOf({ record, beside }: Read, { fields, keys = false }: Wanted = {}): Found {
    const item = this.toItem(record, fields)
    return { item: keys ? noteKey(item, this.resource.key.of(record)) : item, beside }
  }

  /**
   * One item, or null.
   */
  async item(client: QueryClientContract, selection: Selection): Promise<Item | null> {
    const found = await this.findOne(client, selection, {})
    return found && found.item
  }

  /**
   * One item with what was read beside it, or null.
   */
  async findOne(
    client: QueryClientContract,
    selection: Selection,
    {
      fields = this.resource.answer,
      beside = [],
      judge,
    }: Omit<Wanted, 'keys'> & {
      /** Throws if somebody may not see the record */
      judge?: (record: LucidRow) => Promise<void>
    }
  ): Promise<Found | null> {
    if (judge || this.#needsHydration(fields, 'before:find', 'after:find')) {
      const record = await this.record(client, selection, beside)
      if (record) await judge?.(record)
      return record && this.foundOf({ record, beside: takeBeside(record, beside) }, { fields })
    }
    const one = { ...selection, limit: 1 }
    const [row] = await this.#rows(client, one, fields.columns, { beside })
    return row ? { item: itemOf(fields)(row), beside: row } : null
  }

  /**
   * An item of its row.
   *
   * @param row  all columns, as `Dialect.select` says them
   * @returns undefined where it takes more than the row to make the item
   */
  itemOfRow(row: Row): Item | undefined {
    const fields = this.resource.answer
    const isPlain = !this.#needsHydration(fields, 'before:find', 'after:find')
    return isPlain && !this.#needsBuilder({ where: [] }) ? itemOf(fields)(row) : undefined
  }

  /**
   * Whether rows of a list become items as they are, by statements of our own.
   */
  readsPlainly(fields: Fields): boolean {
    const isPlain = !this.#needsHydration(fields, 'before:fetch', 'after:fetch')
    return isPlain && !this.#needsBuilder({ where: [] })
  }

  /**
   * One item as a model instance, or null.
   */
  async record(
    client: QueryClientContract,
    selection: Selection,
    beside: readonly Beside[] = []
  ): Promise<LucidRow | null> {
    const { columns, model } = this.resource
    if (this.#hasHooks('before:find', 'after:find')) {
      const run = (query: Query) => query.first()
      return await this.#query(client, selection, columns.all, { beside, run })
    }
    const [row] = await this.#rows(client, { ...selection, limit: 1 }, columns.all, { beside })
    if (!row) return null
    return model.$createFromAdapterResult(withQuickMoments(model, row), {}, optionsOf(client))
  }

  /**
   * Items as model instances.
   */
  async records(client: QueryClientContract, selection: Selection): Promise<LucidRow[]> {
    return await this.#query(client, selection, this.resource.columns.all)
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
    const where = [keys.is(key, dialectOf(client))]
    const selection = { where, limit: 1, lock: client.isTransaction }
    const [row] = await this.#rows(client, selection, columns.all)
    const record = row && model.$createFromAdapterResult(withQuickMoments(model, row))
    return record ? { ...record.$attributes } : null
  }

  /**
   * How many rows there are.
   */
  async count(client: QueryClientContract, selection: Selection): Promise<number> {
    const [row] = await this.#aggregate(client, selection, 'count(*) as total')
    return Number(row.total)
  }

  /**
   * How many rows there are of each day of a datetime column.
   */
  async countByDay(
    client: QueryClientContract,
    column: Column,
    selection: Selection
  ): Promise<Array<{ day: string; count: number }>> {
    const wanted = `${dialectOf(client).dayOf(this.resource.table, column)} as day, count(*) as total`
    const rows = await this.#aggregate(client, selection, wanted, '1')
    return rows.map(({ day, total }: any) => ({ day, count: Number(total) }))
  }

  /**
   * The wire's form of a model instance. A model that says how it becomes JSON is taken at its word.
   */
  toItem(record: LucidRow, fields: Fields = this.resource.answer): Item {
    const all = fields === this.resource.answer
    if (this.serializesItself) return all ? record.toJSON() : pickFields(record.toJSON(), fields)
    const item: Item = {}
    const attributes = record as unknown as Record<string, unknown>
    for (const column of fields.columns) {
      item[column.wire] = attributeToWire(column, record)
    }
    for (const [attribute, name] of fields.computed) {
      const value = attributes[attribute]
      if (value !== undefined) item[name] = value
    }
    return item
  }

  /**
   * What stands between `select` and `from`, or behind `returning`.
   *
   * @param list  of the columns, if they are not to be read as they are
   */
  listOf(
    columns: readonly Column[],
    dialect: Dialect,
    beside: readonly Beside[] = [],
    list?: string
  ): string {
    let lists = this.#lists.get(dialect)
    if (!lists) this.#lists.set(dialect, (lists = new WeakMap()))
    list ??= lists.get(columns)
    if (list === undefined) {
      list = selectList(columns, this.resource.table, dialect)
      lists.set(columns, list)
    }
    return beside.length === 0 ? list : [list, ...beside.map(({ sql }) => sql)].join(', ')
  }

  /** Rows, of which the large values are read only when there is room for them. */
  async #rowsWithin(
    room: AnswerRoom,
    client: QueryClientContract,
    selection: Selection,
    wanted: readonly Column[],
    { cut, ...options }: { beside: readonly Beside[]; begun?: Query; cut?: number }
  ): Promise<Row[]> {
    const { key } = this.resource
    const columns = this.#withKeys(wanted)
    const sized = sizedRead(columns, { key, rows: selection.limit, cut }, dialectOf(client))
    if (!sized) return await this.#rows(client, selection, wanted, options)

    const rows = await this.#rows(client, selection, columns, { ...options, list: sized.list })
    await takeRoomFor(rows, room, sized)
    return await readLargeValues(rows, sized, { client, key, selection }, (some) =>
      this.#rows(client, some, columns)
    )
  }

  /** The same for rows that are read whole: how large they are is asked before. */
  async #makeRoom(
    client: QueryClientContract,
    selection: Selection,
    room: AnswerRoom,
    begun?: Query
  ): Promise<void> {
    const { columns, key, model, table } = this.resource
    const dialect = dialectOf(client)
    const size = sizeBeside(columns.all, key, dialect)
    if (!size) return
    const query = (begun?.clone() as Query | undefined) ?? (model.query({ client }) as Query)
    applySelection(query, table, selection)
    await model.$hooks.runner('before:fetch').run(query)
    query
      .clearSelect()
      .select(client.raw(size.sql) as any)
      .pojo()
    await takeRoomFor((await dialect.read(client, query, () => query)) as unknown as Row[], room)
  }

  /** Rows as the driver has them: by a statement of our own, where nothing asks for a query builder. */
  async #rows(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    { beside, begun, list }: { beside?: readonly Beside[]; begun?: Query; list?: string } = {}
  ): Promise<Row[]> {
    if (begun || this.#needsBuilder(selection)) {
      const run = (query: Query) => query.pojo() as PromiseLike<Row[]>
      return await this.#query(client, selection, columns, { beside, begun, list, run })
    }
    const dialect = dialectOf(client)
    const { table } = this.resource
    const wanted = this.listOf(columns, dialect, beside, list)
    const { sql, bindings } = selectStatement(wanted, table, selection, dialect)
    return await dialect.selectRows(client, sql, bindings)
  }

  /** What a fetch hook leaves out of the list does not count, either. */
  async #aggregate(
    client: QueryClientContract,
    selection: Selection,
    wanted: string,
    group?: string
  ): Promise<Row[]> {
    const { model, table } = this.resource
    const dialect = dialectOf(client)
    if (!this.#needsBuilder(selection) && !this.#hasHooks('before:fetch')) {
      const { sql, bindings } = selectStatement(wanted, table, selection, dialect)
      const grouped = group === undefined ? sql : `${sql} group by ${group}`
      return await dialect.selectRows(client, grouped, bindings)
    }
    const query = model.query({ client }) as Query
    applySelection(query, table, selection)
    await model.$hooks.runner('before:fetch').run(query)
    query
      .clearSelect()
      .clearOrder()
      .select(client.raw(wanted) as any)
    if (group !== undefined) query.groupByRaw(group)
    query.pojo()
    return await dialect.read(client, query, () => query)
  }

  async #query<Result = any[]>(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    {
      beside,
      begun,
      list,
      run = (query) => query as any,
    }: {
      beside?: readonly Beside[]
      begun?: Query
      list?: string
      run?: (query: Query) => PromiseLike<Result>
    } = {}
  ): Promise<Result> {
    const { model, table } = this.resource
    const dialect = dialectOf(client)
    const query = begun ?? (model.query({ client }) as Query)
    query.select(client.raw(this.listOf(columns, dialect, beside, list)) as any)
    applySelection(query, table, selection)
    return await dialect.read(client, query, () => run(query))
  }

  /** The same array for the same columns each time, as what is selected is looked up by it. */
  #withKeys(columns: readonly Column[]): readonly Column[] {
    let keyed = this.#keyed.get(columns)
    if (!keyed) {
      keyed = [...new Set([...columns, ...this.resource.key.columns])]
      this.#keyed.set(columns, keyed)
    }
    return keyed
  }

  /** A model whose queries are its own affair is asked by its own. */
  #needsBuilder({ scope }: Selection): boolean {
    return scope !== undefined || this.resource.model.query !== BaseModel.query
  }

  /** Whether the model says how it becomes JSON */
  get serializesItself(): boolean {
    const own = this.resource.model.prototype
    return METHODS_OF_JSON.some((name) => own[name] !== BaseModel.prototype[name])
  }

  #needsHydration({ columns, computed }: Fields, ...hooks: ReadHook[]) {
    return (
      computed.size > 0 ||
      this.serializesItself ||
      columns.some((column) => column.needsHydration) ||
      this.#hasHooks(...hooks)
    )
  }

  #hasHooks(...hooks: ReadHook[]): boolean {
    return hooks.some((hook) => this.resource.model.$hooks.has(hook))
  }
}

/** What was read beside the columns is no part of the record. */
function takeBeside(record: LucidRow, expressions: readonly Beside[]): Row {
  const beside: Row = {}
  for (const { as } of expressions) {
    beside[as] = record.$extras[as]
    delete record.$extras[as]
  }
  return beside
}

const ITEM_OF = new WeakMap<Fields, (row: Row) => Item>()

/** What makes a row an item; the same for every row, so worked out once. */
function itemOf(fields: Fields): (row: Row) => Item {
  const known = ITEM_OF.get(fields)
  if (known) return known
  const parts = fields.columns.map((column) => {
    const { name, wire } = column
    return { name, wire, form: wireForm(column) }
  })
  const toItem = (row: Row) => {
    const item: Item = {}
    for (const { name, wire, form } of parts) {
      const value = row[name]
      item[wire] = value === null || value === undefined ? null : form(value)
    }
    return item
  }
  ITEM_OF.set(fields, toItem)
  return toItem
}

/** As a query of Lucid's gives them to the instances it makes. */
function optionsOf(client: QueryClientContract) {
  return { client, connection: client.connectionName }
}
