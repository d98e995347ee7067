import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { AnswerBudget } from '../http/answer_budget.js'
import type { Dialect, Query, TimePart } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { isTimeLimited, OutOfTime } from '#base/database/time_limit'
import { noteKey } from '#base/items'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'
import type { Key, KeyValue } from '#base/columns/key'
import type { Item } from '../types.js'
import { recordWithout } from '../lucid/record_without.js'
import { noteLockedRow } from '../lucid/stored_rows.js'
import { recordFromRow } from '#base/lucid/lucid_moments'
import { attributeToApi, serializerOf, toApi } from '#base/values/to_api'
import { pickFields, type Fields } from '#base/columns/fields'
import { readLargeValues, sizeColumn, sizedRead, reserveFor } from './large_values.js'
import type { ExtraColumn, Sql } from '#base/sql/sql'
import { applySelection, selectList, selectStatement, type Selection } from './select.js'
import { asConnectionReturns, copyOf } from '#base/database/connection_forms'
import { readExactly } from './read_exactly.js'

const METHODS_OF_JSON = ['toJSON', 'serialize', 'serializeAttributes'] as const

/* Name of a value in a grouped result */
const VALUE = 'crud_value'

/* Counts the groups before the limit */
const KINDS = 'count(*) over () as kinds'

/* Rows whose values are counted at most, where a time limit could not end it */
const MOST_GROUPED = 100_000

/** The end of an aggregating statement: SQL, and a number of rows. */
interface Grouping {
  group?: string
  order?: string
  most?: number
}

type ReadHook = 'before:find' | 'after:find' | 'before:fetch' | 'after:fetch'

type Row = Record<string, unknown>

/** The properties of a resource that reading its rows needs. */
interface Readable {
  readonly model: LucidModel
  readonly table: string
  readonly columns: ColumnSet
  readonly key: Key
  /** The fields of an item without a selection */
  readonly answer: Fields
  /** True if grants hide visible columns */
  readonly hidesColumns: boolean
  /** Their attributes */
  readonly concealed: ReadonlySet<string>
}

/** The wanted parts of each item. */
interface Wanted {
  /** Default: all fields */
  fields?: Fields
  /** True to remember the items' keys for `keyOf` */
  keys?: boolean
  extras?: readonly ExtraColumn[]
  /** Memory budget of the items; without it, the memory is not limited */
  budget?: AnswerBudget
  /** Length in characters after which texts may be cut; default: no limit */
  cut?: number
  /** Narrows a second read, of large values by key. Default: the selection */
  again?: Selection
}

/** A record and its extra columns. */
export interface Read {
  record: LucidRow
  extras: Row
}

/** An item and its extra columns, by their names in the result. */
export interface Found {
  item: Item
  extras: Row
}

/**
 * Reads items. Rows become items without a model instance if the result is the same; a model with read
 * hooks, computed properties or columns that convert themselves is hydrated by Lucid.
 */
export class Reader {
  /* The select list is the same for each row; building it takes longer than this lookup. */
  readonly #lists = new WeakMap<Dialect, WeakMap<readonly Column[], string>>()

  readonly #keyed = new WeakMap<readonly Column[], readonly Column[]>()

  constructor(private readonly resource: Readable) {}

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
   * The items of a list with their extra columns.
   *
   * @param begun  a query to extend, if not one of all rows
   */
  async find(
    client: QueryClientContract,
    selection: Selection,
    wanted: Wanted,
    begun?: Query
  ): Promise<Found[]> {
    const { fields = this.resource.answer, keys = false, extras = [], budget, cut, again } = wanted
    const { key } = this.resource
    if (this.#needsHydration(fields, 'before:fetch', 'after:fetch')) {
      const read = await this.readRecords(client, selection, { extras, begun, budget })
      return read.map((one) => this.foundOf(one, wanted))
    }
    const columns = keys ? this.#withKeys(fields.columns) : fields.columns
    const rows = budget
      ? await this.#rowsWithin(budget, client, selection, columns, { extras, begun, cut, again })
      : await this.#rows(client, selection, columns, { extras, begun })
    const toItem = itemOf(fields)
    return rows.map((row) => {
      const item = toItem(row)
      return { item: keys ? noteKey(item, key.ofRow(row)) : item, extras: row }
    })
  }

  /**
   * The records of a list with their extra columns.
   *
   * @param begun  a query to extend, if not one of all rows
   * @param room   memory budget; without it, the memory is not limited
   * @throws Problem 413 or 503  when the budget does not suffice
   */
  async readRecords(
    client: QueryClientContract,
    selection: Selection,
    {
      extras = [],
      begun,
      budget,
    }: { extras?: readonly ExtraColumn[]; begun?: Query; budget?: AnswerBudget }
  ): Promise<Read[]> {
    const { columns, model } = this.resource
    if (budget) await this.#reserveFor(client, selection, budget, begun)
    const isPlain = !begun && !this.#needsBuilder(selection)
    if (!isPlain || this.#hasHooks('before:fetch', 'after:fetch')) {
      const records = await this.#query(client, selection, columns.all, { extras, begun })
      return records.map((record: LucidRow) => ({ record, extras: takeExtras(record, extras) }))
    }
    const rows = await this.#rows(client, selection, columns.all, { extras })
    return rows.map((row) => {
      const record = recordFromRow(model, row, optionsOf(client))
      return { record, extras: takeExtras(record, extras) }
    })
  }

  /** The item of a record. */
  foundOf({ record, extras }: Read, { fields, keys = false }: Wanted = {}): Found {
    const item = this.toItem(record, fields)
    return { item: keys ? noteKey(item, this.resource.key.of(record)) : item, extras }
  }

  /**
   * One item, or null.
   */
  async item(client: QueryClientContract, selection: Selection): Promise<Item | null> {
    const found = await this.findOne(client, selection, {})
    return found && found.item
  }

  /** One item with its extra columns, or null. */
  async findOne(
    client: QueryClientContract,
    selection: Selection,
    {
      fields = this.resource.answer,
      extras = [],
      authorize,
    }: Omit<Wanted, 'keys'> & {
      /** Throws if the actor may not see the record */
      authorize?: (record: LucidRow) => Promise<void>
    }
  ): Promise<Found | null> {
    if (authorize || this.#needsHydration(fields, 'before:find', 'after:find')) {
      const record = await this.record(client, selection, extras)
      if (record) await authorize?.(record)
      return record && this.foundOf({ record, extras: takeExtras(record, extras) }, { fields })
    }
    const one = { ...selection, limit: 1 }
    const [row] = await this.#rows(client, one, fields.columns, { extras })
    return row ? { item: itemOf(fields)(row), extras: row } : null
  }

  /**
   * The item of a row.
   *
   * @param row  all columns, as `Dialect.select` returns them
   * @returns undefined if the item needs more than the row
   */
  itemOfRow(row: Row): Item | undefined {
    return this.answersPlainly ? itemOf(this.resource.answer)(row) : undefined
  }

  /** True if a row becomes an item without a model instance, read by our own statement. */
  get answersPlainly(): boolean {
    const isPlain = !this.#needsHydration(this.resource.answer, 'before:find', 'after:find')
    return isPlain && !this.#needsBuilder({ where: [] })
  }

  /** True if rows of a list become items without a model instance, read by our own statements. */
  readsPlainly(fields: Fields): boolean {
    const isPlain = !this.#needsHydration(fields, 'before:fetch', 'after:fetch')
    return isPlain && !this.#needsBuilder({ where: [] })
  }

  /** True if hooks of the model and its query builder cannot see the order in which a list is read. */
  get readsInAnyOrder(): boolean {
    return !this.#hasHooks('before:fetch', 'after:fetch') && !this.#needsBuilder({ where: [] })
  }

  /**
   * One item as a model instance, or null.
   */
  async record(
    client: QueryClientContract,
    selection: Selection,
    extras: readonly ExtraColumn[] = []
  ): Promise<LucidRow | null> {
    const { columns, model } = this.resource
    if (this.#hasHooks('before:find', 'after:find')) {
      const run = (query: Query) => query.first()
      return await this.#query(client, selection, columns.all, { extras, run })
    }
    const [row] = await this.#rows(client, { ...selection, limit: 1 }, columns.all, { extras })
    if (!row) return null
    return selection.lock
      ? this.recordOfRow(client, row)
      : recordFromRow(model, row, optionsOf(client))
  }

  /**
   * The model instance of a row, which is remembered for the record's write.
   *
   * @param row  all columns, as `Dialect.select` returns them
   */
  recordOfRow(client: QueryClientContract, row: Row): LucidRow {
    const { model } = this.resource
    const record = recordFromRow(model, copyOf(row), optionsOf(client))
    noteLockedRow(record, row)
    return record
  }

  /**
   * Items as model instances.
   */
  async records(client: QueryClientContract, selection: Selection): Promise<LucidRow[]> {
    const { columns } = this.resource
    if (!selection.lock || this.#hasHooks('before:fetch', 'after:fetch')) {
      return await this.#query(client, selection, columns.all)
    }
    const rows = await this.#rows(client, selection, columns.all)
    return rows.map((row) => this.recordOfRow(client, row))
  }

  /** The attributes of one row as stored, without any scope or hook. In a transaction the row is locked. */
  async attributes(
    client: QueryClientContract,
    key: KeyValue
  ): Promise<Record<string, unknown> | null> {
    const found = await this.stored(client, key)
    return found && found.attributes
  }

  /** The same, with the row itself. */
  async stored(
    client: QueryClientContract,
    key: KeyValue
  ): Promise<{ attributes: Record<string, unknown>; row: Row } | null> {
    const { key: keys } = this.resource
    const where = [keys.is(key, dialectOf(client))]
    const [row] = await this.rows(client, { where, limit: 1, lock: client.isTransaction })
    return row ? { attributes: this.attributesOfRow(row), row } : null
  }

  /** The model's attributes of a row, or of some columns of one. */
  attributesOfRow(row: Row): Record<string, unknown> {
    const { columns, model } = this.resource
    const usual = asConnectionReturns(row)
    const own = { ...row }
    for (const { consumesItself, name } of usual ? columns.all : []) {
      if (consumesItself) own[name] = usual![name]
    }
    const record = recordFromRow(model, own)
    const named = columns.all.filter(({ name }) => name in row)
    return Object.fromEntries(
      named.map(({ attribute }) => [attribute, record.$attributes[attribute]])
    )
  }

  /** Rows with all columns, as `Dialect.select` returns them, without any scope or hook. */
  async rows(client: QueryClientContract, selection: Selection): Promise<Row[]> {
    return await this.#rows(client, selection, this.resource.columns.all)
  }

  /** The statement that selects a row with all columns and locks it, without any scope or hook. */
  lockedRow({ where }: Selection, client: QueryClientContract): Sql {
    const { columns, table } = this.resource
    const dialect = dialectOf(client)
    const selection = { where, limit: 1, lock: true }
    return selectStatement(this.listOf(columns.all, dialect), table, selection, dialect)
  }

  /** The statement that selects a column of the rows, as a part of another statement. */
  statement(client: QueryClientContract, selection: Selection, column: Column): Sql {
    const { model, table } = this.resource
    const dialect = dialectOf(client)
    const wanted = dialect.nameOf(table, column)
    if (!this.#needsBuilder(selection)) return selectStatement(wanted, table, selection, dialect)
    const query = model.query({ client }) as Query
    applySelection(query, table, selection)
    query.clearSelect().select(client.raw(wanted) as any)
    const { sql, bindings } = query.toSQL()
    return { sql, bindings: [...bindings] }
  }

  /**
   * The statement that selects expressions of the rows, in no order, as a part of another statement.
   */
  async selected(client: QueryClientContract, selection: Selection, wanted: string): Promise<Sql> {
    if (this.#aggregatesPlainly(selection)) {
      return selectStatement(wanted, this.resource.table, selection, dialectOf(client))
    }
    const { query } = await this.#aggregating(client, selection, wanted)
    const { sql, bindings } = query.toSQL()
    return { sql, bindings: [...bindings] }
  }

  /** The number of rows. */
  async count(client: QueryClientContract, selection: Selection): Promise<number> {
    const [row] = await this.#aggregate(client, selection, 'count(*) as total')
    return Number(row.total)
  }

  /** The number of rows of each day, hour or minute of a datetime column: see `Dialect.beginOf`. */
  async countByTime(
    client: QueryClientContract,
    column: Column,
    selection: Selection,
    part: TimePart
  ): Promise<Map<string, number>> {
    const begin = dialectOf(client).beginOf(this.resource.table, column, part)
    const wanted = `${begin} as begun, count(*) as total`
    const rows = await this.#aggregate(client, selection, wanted, { group: '1' })
    return new Map(rows.map(({ begun, total }: any) => [begun, Number(total)]))
  }

  /**
   * The number of rows of each value of a column, the most frequent first, those as frequent by value.
   *
   * @param most  number of values
   * @returns the values in the form of the API, null for none; the number of all different ones
   * @throws OutOfTime  within a time limit, and if nothing could end the statement: for more than 100,000 rows
   */
  async countByValue(
    client: QueryClientContract,
    column: Column,
    selection: Selection,
    most: number
  ): Promise<{ values: Array<{ value: unknown; count: number }>; kinds: number }> {
    const dialect = dialectOf(client)
    const value = `${dialect.groupOf(this.resource.table, column)} as ${VALUE}`
    const limit = isTimeLimited() && !dialect.stopsReads(client) ? MOST_GROUPED : undefined
    const rows = limit
      ? await this.#groupFirst(client, { ...selection, limit: limit + 1 }, value, most)
      : await this.#aggregate(client, selection, `${value}, count(*) as total, ${KINDS}`, {
          group: '1',
          order: '2 desc, 1',
          most,
        })
    if (limit && rows.length > 0 && Number(rows[0].seen) > limit) throw new OutOfTime()
    const values = rows.map(({ [VALUE]: stored, total }) => ({
      value: toApi(column, column.isText && Buffer.isBuffer(stored) ? stored.toString() : stored),
      count: Number(total),
    }))
    return { values, kinds: Number(rows[0]?.kinds ?? 0) }
  }

  /** The number of rows of each value, among the first rows of the selection. */
  async #groupFirst(
    client: QueryClientContract,
    selection: Selection,
    value: string,
    most: number
  ): Promise<Row[]> {
    const dialect = dialectOf(client)
    const { sql, bindings } = await this.selected(client, selection, value)
    const grouped = `select ${VALUE}, count(*) as total, sum(count(*)) over () as seen, ${KINDS} from (${sql}) as counted group by 1 order by 2 desc, 1 limit ${dialect.limit(most)}`
    return await dialect.selectRows(client, grouped, bindings)
  }

  /**
   * A record for code that makes of it what is shown: without what grants hide. [U3]
   */
  shown(record: LucidRow): LucidRow {
    const { concealed, hidesColumns } = this.resource
    return hidesColumns ? recordWithout(record, concealed) : record
  }

  /** The API form of a model instance. A model's own `serialize` takes precedence. */
  toItem(whole: LucidRow, fields: Fields = this.resource.answer): Item {
    const isOwn = this.serializesItself || fields.columns.some(({ serialize }) => serialize)
    const record = isOwn ? this.shown(whole) : whole
    const all = fields === this.resource.answer && !this.resource.hidesColumns
    if (this.serializesItself) return all ? record.toJSON() : pickFields(record.toJSON(), fields)
    const item: Item = {}
    const attributes = record as unknown as Record<string, unknown>
    for (const column of fields.columns) {
      item[column.apiName] = attributeToApi(column, record)
    }
    for (const [attribute, name] of fields.computed) {
      const value = attributes[attribute]
      if (value !== undefined) item[name] = value
    }
    return item
  }

  /**
   * The select list, or the list of a `returning`.
   *
   * @param list  of the columns, if they are not read in the usual way
   */
  listOf(
    columns: readonly Column[],
    dialect: Dialect,
    extras: readonly ExtraColumn[] = [],
    list?: string
  ): string {
    let lists = this.#lists.get(dialect)
    if (!lists) this.#lists.set(dialect, (lists = new WeakMap()))
    list ??= lists.get(columns)
    if (list === undefined) {
      list = selectList(columns, this.resource.table, dialect)
      lists.set(columns, list)
    }
    return extras.length === 0 ? list : [list, ...extras.map(({ sql }) => sql)].join(', ')
  }

  /** Reads rows; large values are read only after their memory is reserved. */
  async #rowsWithin(
    budget: AnswerBudget,
    client: QueryClientContract,
    selection: Selection,
    wanted: readonly Column[],
    {
      again = selection,
      cut,
      ...options
    }: { extras: readonly ExtraColumn[]; begun?: Query } & Pick<Wanted, 'again' | 'cut'>
  ): Promise<Row[]> {
    const { key } = this.resource
    const columns = this.#withKeys(wanted)
    const sized = sizedRead(columns, { key, rows: selection.limit, cut }, dialectOf(client))
    if (!sized) return await this.#rows(client, selection, wanted, options)

    const rows = await this.#rows(client, selection, columns, { ...options, list: sized.list })
    await reserveFor(rows, budget, sized)
    return await readLargeValues(rows, sized, { client, key, selection: again }, (some) =>
      this.#rows(client, some, columns)
    )
  }

  /** Reserves the memory of rows that are read whole, after a query for their size. */
  async #reserveFor(
    client: QueryClientContract,
    selection: Selection,
    budget: AnswerBudget,
    begun?: Query
  ): Promise<void> {
    const { columns, key, model, table } = this.resource
    const dialect = dialectOf(client)
    const size = sizeColumn(columns.all, key, dialect)
    if (!size) return
    const query = (begun?.clone() as Query | undefined) ?? (model.query({ client }) as Query)
    applySelection(query, table, selection)
    await model.$hooks.runner('before:fetch').run(query)
    query
      .clearSelect()
      .select(client.raw(size.sql) as any)
      .pojo()
    await reserveFor((await dialect.read(client, query, () => query)) as unknown as Row[], budget)
  }

  /** Rows of the driver, by our own statement unless the selection needs a query builder. */
  async #rows(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    { extras, begun, list }: { extras?: readonly ExtraColumn[]; begun?: Query; list?: string } = {}
  ): Promise<Row[]> {
    if (begun || this.#needsBuilder(selection)) {
      const run = (query: Query) => query.pojo() as PromiseLike<Row[]>
      return await this.#query(client, selection, columns, { extras, begun, list, run })
    }
    const dialect = dialectOf(client)
    const { table } = this.resource
    const wanted = this.listOf(columns, dialect, extras, list)
    const { sql, bindings } = selectStatement(wanted, table, selection, dialect)
    return await dialect.selectRows(client, sql, bindings)
  }

  /** Rows that a fetch hook leaves out of the list do not count. */
  async #aggregate(
    client: QueryClientContract,
    selection: Selection,
    wanted: string,
    { group, order, most }: Grouping = {}
  ): Promise<Row[]> {
    const dialect = dialectOf(client)
    if (this.#aggregatesPlainly(selection)) {
      const { sql, bindings } = selectStatement(wanted, this.resource.table, selection, dialect)
      let grouped = group === undefined ? sql : `${sql} group by ${group}`
      if (order !== undefined) grouped += ` order by ${order}`
      if (most !== undefined) grouped += ` limit ${dialect.limit(most)}`
      return await dialect.selectRows(client, grouped, bindings)
    }
    const { query } = await this.#aggregating(client, selection, wanted)
    if (group !== undefined) query.groupByRaw(group)
    if (order !== undefined) query.orderByRaw(order)
    if (most !== undefined) query.limit(most)
    query.pojo()
    return await readExactly(client, query, this.resource, () =>
      dialect.read(client, query, () => query as any)
    )
  }

  #aggregatesPlainly(selection: Selection): boolean {
    return !this.#needsBuilder(selection) && !this.#hasHooks('before:fetch')
  }

  /** In an object, as awaiting a query would run it. */
  async #aggregating(client: QueryClientContract, selection: Selection, wanted: string) {
    const { model, table } = this.resource
    const query = model.query({ client }) as Query
    applySelection(query, table, selection)
    await model.$hooks.runner('before:fetch').run(query)
    query
      .clearSelect()
      .clearOrder()
      .select(client.raw(wanted) as any)
    return { query }
  }

  async #query<Result = any[]>(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    {
      extras,
      begun,
      list,
      run = (query) => query as any,
    }: {
      extras?: readonly ExtraColumn[]
      begun?: Query
      list?: string
      run?: (query: Query) => PromiseLike<Result>
    } = {}
  ): Promise<Result> {
    const { model, table } = this.resource
    const dialect = dialectOf(client)
    const query = begun ?? (model.query({ client }) as Query)
    query.select(client.raw(this.listOf(columns, dialect, extras, list)) as any)
    applySelection(query, table, selection)
    return await readExactly(client, query, this.resource, () =>
      dialect.read(client, query, () => run(query))
    )
  }

  /** The same array for the same columns each time, as it is the key of a cache. */
  #withKeys(columns: readonly Column[]): readonly Column[] {
    let keyed = this.#keyed.get(columns)
    if (!keyed) {
      keyed = [...new Set([...columns, ...this.resource.key.columns])]
      this.#keyed.set(columns, keyed)
    }
    return keyed
  }

  /** True if the rows must be read by the model's own query builder. */
  #needsBuilder({ scope }: Selection): boolean {
    return scope !== undefined || this.resource.model.query !== BaseModel.query
  }

  /** True if the model has its own serialization */
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

/** Extra columns are not part of the record. */
function takeExtras(record: LucidRow, expressions: readonly ExtraColumn[]): Row {
  const extras: Row = {}
  for (const { as } of expressions) {
    extras[as] = record.$extras[as]
    delete record.$extras[as]
  }
  return extras
}

const ITEM_OF = new WeakMap<Fields, (row: Row) => Item>()

/** The function that turns a row into an item; created once for all rows. */
function itemOf(fields: Fields): (row: Row) => Item {
  const known = ITEM_OF.get(fields)
  if (known) return known
  const parts = fields.columns.map((column) => {
    const { name, apiName } = column
    return { name, apiName, form: serializerOf(column) }
  })
  const toItem = (row: Row) => {
    const item: Item = {}
    for (const { name, apiName, form } of parts) {
      const value = row[name]
      item[apiName] = value === null || value === undefined ? null : form(value)
    }
    return item
  }
  ITEM_OF.set(fields, toItem)
  return toItem
}

/**
 * The options that Lucid's queries pass to the instances they create. A record that is made once its transaction is over, as by a listener, must not
 * write within it.
 */
function optionsOf(client: QueryClientContract) {
  const isOver = client.isTransaction && (client as TransactionClientContract).isCompleted
  return { ...(!isOver && { client }), connection: client.connectionName }
}
