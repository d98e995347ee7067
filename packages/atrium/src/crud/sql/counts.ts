import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '#base/columns/column'
import { dialectOf } from '#base/database/dialects'
import { isTimeLimited, OutOfTime, withinTime } from '#base/database/time_limit'
import { toApi } from '#base/values/to_api'
import { orderTerms } from '#base/columns/sort'
import type { Readable, RowStatements } from './row_statements.js'
import type { Selection } from './select.js'

/* Alias of the value in a grouped result */
const VALUE = 'crud_value'

/* Counts the groups before the limit is applied */
const KINDS = 'count(*) over () as kinds'

/* Maximum number of rows that are grouped by value if no time limit can end the statement */
const MOST_GROUPED = 100_000

/* Number of keys that an estimate samples, and minimum number of rows found for which the sample is used */
const SAMPLE = 4000
const LEAST_FOUND = 40

/* Milliseconds after which counting stops and the number is estimated */
const TIMEOUT = 1000

/** Number of rows, which can be an estimate. */
export interface RowCount {
  total: number
  isEstimate: boolean
}

/** Counts rows of a model's table, in total or in groups. */
export class Counts {
  constructor(
    private readonly resource: Pick<Readable, 'table' | 'key'>,
    private readonly statements: RowStatements
  ) {}

  /** Returns the number of rows. */
  async all(client: QueryClientContract, selection: Selection): Promise<number> {
    const [row] = await this.statements.aggregate(client, selection, 'count(*) as total')
    return Number(row.total)
  }

  /**
   * Returns the number of rows, counted up to a limit. The number is estimated if there are more rows, or if counting
   * takes too long: by a sample of keys, or, without an integer key, by the database's planner, unless rows of the table
   * are hidden from the actor. Rows for which there is no estimate are counted.
   *
   * @param exact  number of rows up to which the result is exact
   * @returns an estimate of 0 if nothing is known
   */
  async upTo(client: QueryClientContract, selection: Selection, exact: number): Promise<RowCount> {
    const counted = await this.#firstInTime(client, selection, exact + 1)
    if (counted !== null && counted <= exact) return { total: counted, isEstimate: false }
    const sample = await this.#sampled(client, selection)
    const isRough = counted !== null && (sample === null || sample.found < LEAST_FOUND)
    const estimate = isRough ? await this.#planned(client, selection) : sample?.total
    if (isRough && estimate === undefined) {
      return { total: await this.all(client, selection), isEstimate: false }
    }
    return { total: Math.max(estimate ?? 0, counted ?? 0), isEstimate: true }
  }

  /** True if there are at most `most` rows. Further rows are not counted. */
  async isAtMost(
    client: QueryClientContract,
    selection: Selection,
    most: number
  ): Promise<boolean> {
    return (await this.#first(client, selection, most + 1)) <= most
  }

  /** Counts the rows, up to a limit. */
  async #first(
    client: QueryClientContract,
    { joins, ...selection }: Selection,
    limit: number
  ): Promise<number> {
    const first = { ...selection, limit }
    const { sql, bindings } = await this.statements.selected(client, first, '1 as crud_one')
    const count = `select count(*) as total from (${sql}) as counted`
    const [row] = await dialectOf(client).selectRows(client, count, bindings)
    return Number(row.total)
  }

  /** Counts the rows, up to a limit; null if that takes too long. */
  async #firstInTime(client: QueryClientContract, selection: Selection, limit: number) {
    try {
      return await withinTime(TIMEOUT, () => this.#first(client, selection, limit))
    } catch (error) {
      if (error instanceof OutOfTime) return null
      throw error
    }
  }

  /**
   * Estimates the number of rows by the share of sampled keys that have a row, in the range of the keys that the actor
   * is allowed to see; null without an integer key.
   */
  async #sampled(
    client: QueryClientContract,
    selection: Selection
  ): Promise<{ found: number; total: number } | null> {
    const { key, table } = this.resource
    const [column] = key.columns
    if (key.columns.length > 1 || column.kind !== 'integer') return null
    const dialect = dialectOf(client)
    const [least, most] = await this.#endsOf(client, column, selection)
    if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most)) return null
    const size = most - least + 1
    const keys = sampleOf(least, size)
    const isSampled = dialect.compareList(table, column, keys, false)
    const found = await this.all(client, { ...selection, where: [...selection.where, isSampled] })
    return { found, total: Math.round((found / keys.length) * size) }
  }

  /** Returns the lowest and the highest key that the actor is allowed to see; NaN without rows. */
  async #endsOf(
    client: QueryClientContract,
    column: Column,
    { within = { where: [] } }: Selection
  ): Promise<[number, number]> {
    const { table } = this.resource
    const dialect = dialectOf(client)
    const end = (direction: 'asc' | 'desc') => {
      const order = orderTerms(table, [{ column, direction }], dialect)
      const one = { ...within, order, limit: 1 }
      return this.statements.selected(client, one, dialect.nameOf(table, column))
    }
    const [first, last] = [await end('asc'), await end('desc')]
    const ends = `select (${first.sql}) as least, (${last.sql}) as most`
    const [row] = await dialect.selectRows(client, ends, [...first.bindings, ...last.bindings])
    return [Number(row.least ?? Number.NaN), Number(row.most ?? Number.NaN)]
  }

  /**
   * Returns the planner's estimate. It is computed from all rows of the table, so it reveals how many rows are hidden
   * from an actor.
   */
  async #planned(
    client: QueryClientContract,
    { joins, ...selection }: Selection
  ): Promise<number | undefined> {
    const hidesRows = this.statements.hasHooks('before:fetch') || selection.within !== undefined
    if (hidesRows || this.statements.needsBuilder(selection)) return undefined
    const statement = await this.statements.selected(client, selection, '1 as crud_one')
    return await dialectOf(client).plannedRows?.(client, statement)
  }

  /** Returns the number of rows for each day of a datetime column, in a time zone. */
  async byDay(
    client: QueryClientContract,
    column: Column,
    selection: Selection,
    zone: string
  ): Promise<Map<string, number>> {
    const begin = dialectOf(client).beginOf(this.resource.table, column, 'day', zone)
    const wanted = `${begin} as begun, count(*) as total`
    const rows = await this.statements.aggregate(client, selection, wanted, { group: '1' })
    return new Map(rows.map(({ begun, total }: any) => [begun, Number(total)]))
  }

  /**
   * Returns the number of rows for each value of a column, most frequent values first, equally frequent ones by value.
   *
   * @param most    maximum number of values
   * @param newest  number of rows to count, those with the highest keys; undefined for all
   * @returns `values`: API values (null for no value) with their counts; `kinds`: the number of distinct values
   * @throws OutOfTime  when a time limit ends the statement, or if none can end it and there are more than 100,000 rows
   */
  async byValue(
    client: QueryClientContract,
    column: Column,
    selection: Selection,
    most: number,
    newest?: number
  ): Promise<{ values: Array<{ value: unknown; count: number }>; kinds: number }> {
    const dialect = dialectOf(client)
    const value = `${dialect.groupOf(this.resource.table, column)} as ${VALUE}`
    const limit = isTimeLimited() && !dialect.stopsReads(client) ? MOST_GROUPED : undefined
    const first =
      newest === undefined
        ? limit && { ...selection, limit: limit + 1 }
        : this.#newest(client, selection, newest)
    const rows = first
      ? await this.#groupFirst(client, first, value, most)
      : await this.statements.aggregate(
          client,
          selection,
          `${value}, count(*) as total, ${KINDS}`,
          {
            group: '1',
            order: '2 desc, 1',
            most,
          }
        )
    if (newest === undefined && limit && rows.length > 0 && Number(rows[0].seen) > limit)
      throw new OutOfTime()
    const values = rows.map(({ [VALUE]: stored, total }) => ({
      value: toApi(column, column.isText && Buffer.isBuffer(stored) ? stored.toString() : stored),
      count: Number(total),
    }))
    return { values, kinds: Number(rows[0]?.kinds ?? 0) }
  }

  /** Selects the rows with the highest keys, which the database finds by the index of the key. */
  #newest(client: QueryClientContract, selection: Selection, limit: number): Selection {
    const { key, table } = this.resource
    const sorts = key.columns.map((column) => ({ column, direction: 'desc' as const }))
    return { ...selection, limit, order: orderTerms(table, sorts, dialectOf(client)) }
  }

  /** Returns the number of rows for each value, among the first rows of the selection. */
  async #groupFirst(
    client: QueryClientContract,
    selection: Selection,
    value: string,
    most: number
  ): Promise<Array<Record<string, unknown>>> {
    const dialect = dialectOf(client)
    const { sql, bindings } = await this.statements.selected(client, selection, value)
    const grouped = `select ${VALUE}, count(*) as total, sum(count(*)) over () as seen, ${KINDS} from (${sql}) as counted group by 1 order by 2 desc, 1 limit ${dialect.limit(most)}`
    return await dialect.selectRows(client, grouped, bindings)
  }
}

/**
 * Returns keys of a range, one at a pseudorandom place of each of its parts: the same for the same range, so that an
 * estimate is the same for each page of a list, and unrelated to patterns of the data.
 */
function sampleOf(least: number, size: number): number[] {
  const parts = Math.min(SAMPLE, size)
  let seed = 1
  return Array.from({ length: parts }, (_, part) => {
    seed = (seed * 48271) % 2147483647
    return least + Math.floor(((part + seed / 2147483647) / parts) * size)
  })
}
