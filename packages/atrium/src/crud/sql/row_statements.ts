import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'
import type { Fields } from '#base/columns/fields'
import type { Key } from '#base/columns/key'
import type { Dialect, Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import type { ExtraColumn, Sql } from '#base/sql/sql'
import type { ResponseBudget } from '../http/response_budget.js'
import { readLargeValues, sizeColumn, sizedRead, reserveFor } from './large_values.js'
import { readExactly } from './read_exactly.js'
import { applySelection, selectList, selectStatement, type Selection } from './select.js'

type Row = Record<string, unknown>

/** Hooks of Lucid that see what is read */
export type ReadHook = 'before:find' | 'after:find' | 'before:fetch' | 'after:fetch'

/** The properties of a resource that reading its rows needs. */
export interface Readable {
  readonly model: LucidModel
  readonly table: string
  readonly columns: ColumnSet
  readonly key: Key
  /** The fields of an item without a selection */
  readonly responseFields: Fields
  /** True if grants hide visible columns */
  readonly hidesColumns: boolean
  /** Their attributes */
  readonly concealed: ReadonlySet<string>
}

/** How rows are read. */
interface RowOptions {
  extras?: readonly ExtraColumn[]
  /** A query to extend, if not one of all rows */
  begun?: Query
  /** The select list, if the columns are not read in the usual way */
  list?: string
}

/** The end of an aggregating statement: SQL, and a number of rows. */
interface Grouping {
  group?: string
  order?: string
  most?: number
}

/**
 * The statements that read rows of a model: our own, or those of its query builder where hooks, scopes or a query of the model's
 * own could see the difference.
 */
export class RowStatements {
  /* The select list is the same for each row; building it takes longer than this lookup. */
  readonly #lists = new WeakMap<Dialect, WeakMap<readonly Column[], string>>()

  readonly #keyed = new WeakMap<readonly Column[], readonly Column[]>()

  constructor(private readonly resource: Readable) {}

  /** Rows of the driver, by our own statement unless the selection needs a query builder. */
  async rows(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    { extras, begun, list }: RowOptions = {}
  ): Promise<Row[]> {
    if (begun || this.needsBuilder(selection)) {
      const run = (query: Query) => query.pojo() as PromiseLike<Row[]>
      return await this.query(client, selection, columns, { extras, begun, list, run })
    }
    const dialect = dialectOf(client)
    const { table } = this.resource
    const wanted = this.listOf(columns, dialect, extras, list)
    const { sql, bindings } = selectStatement(wanted, table, selection, dialect)
    return await dialect.selectRows(client, sql, bindings)
  }

  /** Reads rows; large values are read only after their memory is reserved. */
  async rowsWithin(
    budget: ResponseBudget,
    client: QueryClientContract,
    selection: Selection,
    wanted: readonly Column[],
    {
      again = selection,
      cut,
      ...options
    }: RowOptions & {
      /** Length in characters after which texts may be cut; default: no limit */
      cut?: number
      /** Narrows a second read, of large values by key. Default: the selection */
      again?: Selection
    }
  ): Promise<Row[]> {
    const { key } = this.resource
    const columns = this.withKeys(wanted)
    const sized = sizedRead(columns, { key, rows: selection.limit, cut }, dialectOf(client))
    if (!sized) return await this.rows(client, selection, wanted, options)

    const rows = await this.rows(client, selection, columns, { ...options, list: sized.list })
    await reserveFor(rows, budget, sized)
    return await readLargeValues(rows, sized, { client, key, selection: again }, (some) =>
      this.rows(client, some, columns)
    )
  }

  /** Reserves the memory of rows that are read whole, after a query for their size. */
  async reserve(
    client: QueryClientContract,
    selection: Selection,
    budget: ResponseBudget,
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

  async query<Result = any[]>(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    {
      extras,
      begun,
      list,
      run = (query) => query as any,
    }: RowOptions & { run?: (query: Query) => PromiseLike<Result> } = {}
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
    if (!this.needsBuilder(selection)) return selectStatement(wanted, table, selection, dialect)
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
    if (this.#aggregatesDirectly(selection)) {
      return selectStatement(wanted, this.resource.table, selection, dialectOf(client))
    }
    const { query } = await this.#aggregating(client, selection, wanted)
    const { sql, bindings } = query.toSQL()
    return { sql, bindings: [...bindings] }
  }

  /** Rows that a fetch hook leaves out of the list do not count. */
  async aggregate(
    client: QueryClientContract,
    selection: Selection,
    wanted: string,
    { group, order, most }: Grouping = {}
  ): Promise<Row[]> {
    const dialect = dialectOf(client)
    if (this.#aggregatesDirectly(selection)) {
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

  #aggregatesDirectly(selection: Selection): boolean {
    return !this.needsBuilder(selection) && !this.hasHooks('before:fetch')
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

  /** The same array for the same columns each time, as it is the key of a cache. */
  withKeys(columns: readonly Column[]): readonly Column[] {
    let keyed = this.#keyed.get(columns)
    if (!keyed) {
      keyed = [...new Set([...columns, ...this.resource.key.columns])]
      this.#keyed.set(columns, keyed)
    }
    return keyed
  }

  /** True if the rows must be read by the model's own query builder. */
  needsBuilder({ scope }: Selection): boolean {
    return scope !== undefined || this.resource.model.query !== BaseModel.query
  }

  /** True if the model has one of the hooks. */
  hasHooks(...hooks: ReadHook[]): boolean {
    return hooks.some((hook) => this.resource.model.$hooks.has(hook))
  }
}
