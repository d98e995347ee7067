import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '#base/columns/column'
import type { TimePart } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { isTimeLimited, OutOfTime } from '#base/database/time_limit'
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

  /** Returns the number of rows for each day, hour or minute of a datetime column: see `Dialect.beginOf`. */
  async byTime(
    client: QueryClientContract,
    column: Column,
    selection: Selection,
    part: TimePart
  ): Promise<Map<string, number>> {
    const begin = dialectOf(client).beginOf(this.resource.table, column, part)
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
