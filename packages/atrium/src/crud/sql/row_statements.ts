import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'
import type { Fields } from '#base/columns/fields'
import type { Key } from '#base/columns/key'
import type { Dialect, Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import type { ExtraColumn, Sql } from '#base/sql/sql'
import type { ResponseBudget } from '../http/response_budget.js'
import { readLargeValues, sizeColumn, sizedRead, reserveFor } from './large_values.js'
import { applySelection, selectList, selectStatement, type Selection } from './select.js'
import { converted, noteConversions } from '#base/database/connection_forms'
import { noteExactRow } from '#base/lucid/exact_attributes'
import { keepUnreadMoments } from '#base/lucid/lucid_moments'
import { toApi } from '#base/values/to_api'

type Row = Record<string, unknown>

/** Lucid hooks that run on reads */
export type ReadHook = 'before:find' | 'after:find' | 'before:fetch' | 'after:fetch'

/** Properties of a resource that are needed to read its rows. */
export interface Readable {
  readonly model: LucidModel
  readonly table: string
  readonly columns: ColumnSet
  readonly key: Key
  /** Fields of an item if none are selected */
  readonly responseFields: Fields
  /** True if grants hide visible columns */
  readonly hidesColumns: boolean
  /** Attributes of the hidden columns */
  readonly concealed: ReadonlySet<string>
}

/** Options for reading rows. */
interface RowOptions {
  extras?: readonly ExtraColumn[]
  /** A query to extend; default: a query of all rows */
  begun?: Query
  /** The select list, if the columns are not read in the default form */
  list?: string
}

/** End of an aggregate statement: SQL clauses, and a maximum number of rows. */
interface Grouping {
  group?: string
  having?: string
  order?: string
  most?: number
}

/* Argument of `#prebuilt` */
const RUNS_HOOKS = true

/**
 * Statements that read rows of a model: prebuilt ones, or those of the model's query builder if hooks, scopes or an
 * overridden `query` could see the difference.
 */
export class RowStatements {
  /* The select list is the same for each row; building it takes longer than this lookup. */
  readonly #lists = new WeakMap<Dialect, WeakMap<readonly Column[], string>>()

  readonly #keyed = new WeakMap<readonly Column[], readonly Column[]>()

  constructor(private readonly resource: Readable) {}

  /** Returns rows of the driver, with a prebuilt statement unless the selection needs a query builder. */
  async rows(
    client: QueryClientContract,
    selection: Selection,
    columns: readonly Column[],
    { extras, begun, list }: RowOptions = {}
  ): Promise<Row[]> {
    const dialect = dialectOf(client)
    const wanted = this.listOf(columns, dialect, extras, list)
    const prebuilt = begun ? undefined : this.#prebuilt(client, selection, wanted)
    if (prebuilt) return await dialect.selectRows(client, prebuilt.sql, prebuilt.bindings)
    const run = (query: Query) => query.pojo() as PromiseLike<Row[]>
    return await this.query(client, selection, columns, { extras, begun, list, run })
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
      /** Length in characters after which texts can be cut; default: no limit */
      cut?: number
      /** Selection for the second read, of large values by key. Default: the selection of the first read */
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

  /** Reserves memory for rows that are read completely, after a query for their size. */
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

  /** Returns the statement that selects a row with all columns and locks it, without any scope or hook. */
  lockedRow({ where }: Selection, client: QueryClientContract): Sql {
    const { columns, table } = this.resource
    const dialect = dialectOf(client)
    const selection = { where, limit: 1, lock: true }
    return selectStatement(this.listOf(columns.all, dialect), table, selection, dialect)
  }

  /** Returns the statement that selects a column of the rows, to be used in another statement. */
  statement(client: QueryClientContract, selection: Selection, column: Column): Sql {
    const wanted = dialectOf(client).nameOf(this.resource.table, column)
    return this.expressions(client, selection, wanted)
  }

  /** Returns the statement that selects expressions of the rows, to be used in another statement. */
  expressions(client: QueryClientContract, selection: Selection, wanted: string): Sql {
    const prebuilt = this.#prebuilt(client, selection, wanted)
    if (prebuilt) return prebuilt
    const query = this.#begun(client, selection)
    return sqlOf(query.clearSelect().select(client.raw(wanted) as any))
  }

  /** Returns the statement that reads the rows of a list, in their order. */
  async reading(client: QueryClientContract, selection: Selection, columns: readonly Column[]) {
    const list = this.listOf(columns, dialectOf(client))
    const prebuilt = this.#prebuilt(client, selection, list, RUNS_HOOKS)
    if (prebuilt) return prebuilt
    const query = this.#begun(client, selection)
    query.select(client.raw(list) as any)
    await this.resource.model.$hooks.runner('before:fetch').run(query)
    return sqlOf(query)
  }

  /** Returns the statement that selects expressions of the rows, like `expressions`, but with fetch hooks applied. */
  async selected(client: QueryClientContract, selection: Selection, wanted: string): Promise<Sql> {
    const prebuilt = this.#prebuilt(client, selection, wanted, RUNS_HOOKS)
    if (prebuilt) return prebuilt
    const { query } = await this.#aggregating(client, selection, wanted)
    return sqlOf(query)
  }

  /** Runs an aggregate statement. Rows that a fetch hook leaves out of the list are not counted. */
  async aggregate(
    client: QueryClientContract,
    { joins, ...selection }: Selection,
    wanted: string,
    { group, having, order, most }: Grouping = {}
  ): Promise<Row[]> {
    const dialect = dialectOf(client)
    const prebuilt = this.#prebuilt(client, selection, wanted, RUNS_HOOKS)
    if (prebuilt) {
      const { sql, bindings } = prebuilt
      let grouped = group === undefined ? sql : `${sql} group by ${group}`
      if (having !== undefined) grouped += ` having ${having}`
      if (order !== undefined) grouped += ` order by ${order}`
      if (most !== undefined) grouped += ` limit ${dialect.limit(most)}`
      return await dialect.selectRows(client, grouped, bindings)
    }
    const { query } = await this.#aggregating(client, selection, wanted)
    if (group !== undefined) query.groupByRaw(group)
    if (having !== undefined) query.havingRaw(having)
    if (order !== undefined) query.orderByRaw(order)
    if (most !== undefined) query.limit(most)
    query.pojo()
    return await readExactly(client, query, this.resource, () =>
      dialect.read(client, query, () => query as any)
    )
  }

  /**
   * Decides between the two ways to read rows.
   *
   * @param runsHooks  true if fetch hooks take part in the statement
   * @returns the prebuilt statement; undefined if the model's query builder has to make it
   */
  #prebuilt(
    client: QueryClientContract,
    selection: Selection,
    wanted: string,
    runsHooks = false
  ): Sql | undefined {
    if (this.needsBuilder(selection)) return undefined
    if (runsHooks && this.hasHooks('before:fetch')) return undefined
    return selectStatement(wanted, this.resource.table, selection, dialectOf(client))
  }

  #begun(client: QueryClientContract, selection: Selection): Query {
    const query = this.resource.model.query({ client }) as Query
    applySelection(query, this.resource.table, selection)
    return query
  }

  /** Returns an aggregate query, wrapped in an object because awaiting a query runs it. */
  async #aggregating(client: QueryClientContract, selection: Selection, wanted: string) {
    const query = this.#begun(client, selection)
    await this.resource.model.$hooks.runner('before:fetch').run(query)
    query
      .clearSelect()
      .clearOrder()
      .select(client.raw(wanted) as any)
    for (const term of selection.order ?? []) query.orderByRaw(term)
    return { query }
  }

  /**
   * Returns the select list, or the list of a `returning` clause.
   *
   * @param list  select list of the columns, if they are not read in the default form
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

  /** Adds the key columns. Returns the same array for the same columns, because the array is the key of a cache. */
  withKeys(columns: readonly Column[]): readonly Column[] {
    let keyed = this.#keyed.get(columns)
    if (!keyed) {
      keyed = [...new Set([...columns, ...this.resource.key.columns])]
      this.#keyed.set(columns, keyed)
    }
    return keyed
  }

  /** True if the rows must be read with the model's query builder. */
  needsBuilder({ scope }: Selection): boolean {
    return scope !== undefined || this.resource.model.query !== BaseModel.query
  }

  /** True if the model has one of the hooks. */
  hasHooks(...hooks: ReadHook[]): boolean {
    return hooks.some((hook) => this.resource.model.$hooks.has(hook))
  }
}

function sqlOf(query: Query): Sql {
  const { sql, bindings } = query.toSQL()
  return { sql, bindings: [...bindings] }
}

/**
 * Runs a Lucid query so that rows have exact values on every connection. Records get the values that the connection
 * itself returns, and their exact values are stored separately.
 */
async function readExactly<Result>(
  client: QueryClientContract,
  query: Query,
  { key, model }: { key: Key; model: LucidModel },
  run: () => PromiseLike<Result>
): Promise<Result> {
  const forms = dialectOf(client).forms?.(client)
  if (!forms) return await run()
  const exact = new Map<string, Row>()
  query.knexQuery.options(forms.options())
  query.knexQuery.on('query-response', (rows: Row[], { response }: { response: any }) => {
    const conversions = forms.conversions(response.fields ?? response[1] ?? [])
    if (!makesRecords(query)) return noteConversions(rows, conversions)
    for (const row of rows) {
      const own = { ...row }
      Object.assign(row, converted(row, conversions))
      keepUnreadMoments(model, row, own)
      exact.set(key.toPath(key.ofRow(own)), own)
    }
  })
  const result = await run()
  for (const record of [result].flat() as Array<LucidRow | null>) {
    if (!record?.$isPersisted) continue
    const parts = key.columns.map((column) => toApi(column, record.$attributes[column.attribute]))
    const row = exact.get(key.toPath(parts))
    if (row) noteExactRow(record, row)
  }
  return result
}

/** True if the query returns records; false after `pojo()`. */
function makesRecords(query: unknown): boolean {
  return (query as { wrapResultsToModelInstances: boolean }).wrapResultsToModelInstances
}
