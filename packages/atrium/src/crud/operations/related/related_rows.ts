import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import type { Dialect, Query, StoredColumn } from '#base/database/dialect'
import { orderOf, orderTerms } from '#base/columns/sort'
import type { IncludedRelation } from '../../resource/resource.js'
import { whereSql, type ExtraColumn, type Sql } from '#base/sql/sql'
import type { Found, Read } from '../../sql/reader.js'
import { applySelection, type Selection } from '../../sql/select.js'
import type { CallOptions } from '../call_options.js'
import type { Records } from '../records.js'
import type { RelationQueryBuilderContract } from '@adonisjs/lucid/types/relations'
import { groupLimitOf } from '#upstream/lucid_relations'
import type { Column } from '#base/columns/column'

/** Result column with the value that links a related row to an including item */
export const LINK = 'crud_link'

/** A query of related rows, and the selection that still has to be applied to it. */
interface Begun {
  begun: Query
  rest: Selection
  /** Selection that narrows rows of the related table to those that the actor is allowed to see */
  visible: Selection
}

/**
 * Rows of an included relation that the actor is allowed to see: not deleted, in scope, in the order of the relation's
 * `onQuery`, then in key order.
 */
export class RelatedRows {
  /**
   * True if the database limits the rows of each including item. False for a single record, and for a model with fetch
   * hooks, which can remove rows: the limit is then applied after the hooks.
   */
  readonly areRanked: boolean

  readonly #dialect: Dialect
  readonly #extras: readonly ExtraColumn[]
  readonly #order: readonly string[]

  /**
   * @param records  records of the related resource that the actor is allowed to see
   * @param links    condition for the rows between including items and related rows
   */
  constructor(
    readonly include: IncludedRelation,
    private readonly records: Records,
    private readonly client: QueryClientContract,
    private readonly options: CallOptions,
    private readonly links?: Sql
  ) {
    const { table } = records.resource
    const { $hooks } = records.resource.model
    const { isList, pivot } = include
    const { column, table: linkTable } = include.relatedColumn
    this.#dialect = dialectOf(client)
    this.areRanked = isList && !$hooks.has('before:fetch') && !$hooks.has('after:fetch')
    const link: StoredColumn = { name: GROUP, kind: column.kind, sqlType: column.sqlType }
    this.#extras = isList
      ? [
          { as: LINK, sql: this.#dialect.stored(table, link, LINK) },
          ...(pivot?.columns ?? []).map(({ read }) => ({
            as: read.name,
            sql: this.#dialect.select(table, read),
          })),
        ]
      : [{ as: LINK, sql: this.#dialect.stored(linkTable, column, LINK) }]
    /* A record can be related to several items, so its key alone does not define a position to continue from. */
    this.#order = isList
      ? [this.#dialect.quote(RANK), this.#dialect.quote(GROUP)]
      : this.#keyOrder()
  }

  /**
   * Returns the items of the rows.
   *
   * @param values  values of the linking column of the including items
   * @param limit   maximum number of rows
   * @param each    maximum number of rows per including item, if the rows are ranked; one more is read
   */
  async find(values: readonly unknown[], limit: number, each?: number): Promise<Found[]> {
    const { begun, rest, visible } = this.#begin(values)
    if (this.areRanked && each !== undefined) begun.where(RANK, '<=', each + 1)
    const { budget } = this.options
    return await this.records.reader.find(
      this.client,
      { ...rest, order: this.#order, limit },
      { extras: this.#extras, budget, again: visible },
      begun
    )
  }

  /** Reads the records with these ranks among the rows of their including item, starting from 1. */
  async readRanks(values: readonly unknown[], after: number, until: number): Promise<Read[]> {
    const { begun, rest } = this.#begin(values)
    begun.where(RANK, '>', after).where(RANK, '<=', until)
    return await this.#read(begun, rest)
  }

  /** Reads the records from an offset. */
  async readBatch(values: readonly unknown[], offset: number, limit: number): Promise<Read[]> {
    const { begun, rest } = this.#begin(values)
    return await this.#read(begun, { ...rest, offset, limit })
  }

  async #read(begun: Query, selection: Selection): Promise<Read[]> {
    return await this.records.reader.readRecords(
      this.client,
      { ...selection, order: this.#order },
      { extras: this.#extras, begun, budget: this.options.budget }
    )
  }

  #keyOrder(): string[] {
    const { key, table } = this.records.resource
    return orderTerms(table, orderOf([], key.columns), this.#dialect)
  }

  /**
   * Returns the query of the related rows, narrowed to those that the actor is allowed to see. If the query joins
   * tables, the scope is applied in a subquery, because a column name without a table could be ambiguous.
   */
  #begin(values: readonly unknown[]): Begun {
    const { client, include, options, records } = this
    const { model, table } = include.resource
    const visible = records.byConditions({ conditions: [], deleted: 'exclude' }, client, options)
    const rows = include.query(client, values)
    rows.wrapExisting()
    if (this.links) whereSql(rows, this.links)
    if (include.isIndirect) {
      const narrowed = model.query({ client }) as Query
      applySelection(narrowed, table, visible)
      rows.from(narrowed.as(table) as any)
    }
    if (!include.isList) return { begun: rows, rest: visible, visible }
    if (!include.isIndirect) applySelection(rows, table, visible)
    return { begun: this.#ranked(rows), rest: { where: [] }, visible }
  }

  #ranked(rows: Query): Query {
    const { pivot, relatedColumn: group } = this.include
    const { table } = this.records.resource
    const columns = (pivot?.columns ?? []).map(({ name, read }) => {
      const stored = this.#dialect.nameOf(pivot!.table, { name })
      return `${stored} as ${this.#dialect.quote(read.name)}`
    })
    return ranked(rows, this.client, this.#dialect, {
      table,
      group,
      order: this.#keyOrder(),
      columns,
    })
  }
}

/** Alias of the column that numbers the rows of each group, starting from 1 */
const RANK = 'crud_rank'

/** Alias of the column that identifies the group */
const GROUP = 'crud_group'

/** The groups of the rows, and the order of the rows in each group. */
interface Ranking {
  /** Table of the rows; the ranked rows have the same name */
  table: string
  group: { table: string; column: StoredColumn }
  /** Terms of `order by`, after those of the query itself */
  order: readonly string[]
  /** Further columns, each with its alias */
  columns?: readonly string[]
}

/**
 * Returns a query for the rows of a relation, as rows of a table with their number within their group. The order and
 * the `groupLimit` of the given query apply to each group.
 */
function ranked(
  rows: Query,
  client: QueryClientContract,
  dialect: Dialect,
  { columns = [], group, order, table }: Ranking
): Query {
  const { limit, orderBy } = groupLimitOf(rows as unknown as RelationQueryBuilderContract<any, any>)
  if (limit !== undefined) {
    rows.orderBy(orderBy?.column ?? rows.model.primaryKey, orderBy?.direction ?? 'desc')
  }
  const inner = (rows as any).toKnex()
  const own = orderTermsOf(inner)
  const name = dialect.nameOf(group.table, group.column)
  /* Texts that the database compares as equal can belong to different groups. */
  const by =
    group.column.kind === 'text' ? dialect.groupOf(group.table, group.column as Column) : name
  const parts = [own.sql, ...order].filter((part) => part !== '').join(', ')
  const list = [
    `${dialect.quote(table)}.*`,
    `${name} as ${dialect.quote(GROUP)}`,
    `row_number() over (partition by ${by} order by ${parts}) as ${dialect.quote(RANK)}`,
    ...columns,
  ]
  inner.clearSelect().select((client as any).knexRawQuery(list.join(', '), own.bindings))
  const query = client.modelQuery(rows.model).from(inner.as(table)) as unknown as Query
  return limit === undefined ? query : query.where(RANK, '<=', limit)
}

/** Returns the `order by` terms of a Knex query; none if they are not at the end of the SQL. */
function orderTermsOf(query: any): Sql {
  const endless = query.clone().clear('limit').clear('offset')
  const whole = endless.clone().toSQL()
  const bare = endless.clearOrder().toSQL()
  const start = `${bare.sql} order by `
  if (!whole.sql.startsWith(start)) return { sql: '', bindings: [] }
  return {
    sql: whole.sql.slice(start.length),
    bindings: whole.bindings.slice(bare.bindings.length),
  }
}
