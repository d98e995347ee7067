import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '#base/columns/column'
import type { DatePart, Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { exactDigits } from '#base/values/numbers'
import { averageOf, totalOf, type SumPart } from '#base/values/decimal_sum'
import { toApi } from '#base/values/to_api'
import type { Readable, RowStatements } from './row_statements.js'
import type { Selection } from './select.js'

/** Functions of a column's values. */
export const MEASURES = ['sum', 'avg', 'min', 'max'] as const

export type MeasureName = (typeof MEASURES)[number]

/** An aggregated value of each group. */
export interface Measure {
  /** Name in the response, such as `sum:price` or `count` */
  name: string
  of: MeasureName | 'count'
  /** Undefined for `count` */
  column?: Column
}

/** A column by whose values, or by whose months or years, items are grouped. */
export interface GroupKey {
  /** Name in the response, such as `status` or `sold_on:month` */
  name: string
  column: Column
  part?: DatePart
}

/** A validated aggregation. */
export interface Aggregation {
  groups: readonly GroupKey[]
  measures: readonly Measure[]
  /** Indexes into the groups followed by the measures */
  sorts: ReadonlyArray<{ index: number; direction: 'asc' | 'desc' }>
  /** Minimum number of items of a group. Default: 1 */
  least?: number
  /** Maximum number of groups */
  limit: number
}

type Row = Record<string, unknown>

/** A group of items: the values of its columns, and of its measures such as `sum:price`, by name. */
export type AggregateRow = Record<string, unknown>

/** An expression of the select list, its order, and the function that reads its value from a row. */
interface Selected {
  list: string[]
  order: (direction: 'asc' | 'desc') => string
  read: (row: Row) => unknown
}

/** Aggregates rows of a model's table. */
export class Aggregates {
  constructor(
    private readonly resource: Pick<Readable, 'table'>,
    private readonly statements: RowStatements
  ) {}

  /** Returns the groups of the selected rows. Without columns to group by there is one group, even without rows. */
  async groups(
    client: QueryClientContract,
    selection: Selection,
    { groups, least = 1, limit, measures, sorts }: Aggregation
  ): Promise<AggregateRow[]> {
    const dialect = dialectOf(client)
    const { table } = this.resource
    const keys = groups.map((key, index) => groupOf(dialect, table, key, index))
    const all = [...keys, ...measures.map((one, index) => measureOf(dialect, table, one, index))]
    const order = [
      ...sorts.map(({ direction, index }) => all[index].order(direction)),
      ...keys.map((key) => key.order('asc')),
    ]
    const rows = await this.statements.aggregate(
      client,
      selection,
      all.flatMap(({ list }) => list).join(', '),
      keys.length === 0
        ? {}
        : {
            group: keys.map((_, index) => index + 1).join(', '),
            ...(least > 1 && { having: `count(*) >= ${Math.trunc(least)}` }),
            order: order.join(', '),
            most: limit,
          }
    )
    const names = namesOf({ groups, measures })
    return rows.map((row) =>
      Object.fromEntries(names.map((name, index) => [name, all[index].read(row)]))
    )
  }
}

/** Returns the names of a group's values, in the order of the response. */
export function namesOf({ groups, measures }: Pick<Aggregation, 'groups' | 'measures'>): string[] {
  return [...groups.map(({ name }) => name), ...measures.map(({ name }) => name)]
}

/** Returns the API value of a sum; undefined parts and null do not count. */
export function sumValue(column: Column, parts: readonly SumPart[]): unknown {
  return numeralValue(column, totalOf(parts))
}

/** Returns an average, always as text. */
export function averageValue(parts: readonly SumPart[], count: number): string | null {
  const total = totalOf(parts)
  return total === null || count === 0 ? null : averageOf(total, count)
}

/** Returns the API value of a minimum or maximum. */
export function boundValue(column: Column, value: unknown): unknown {
  const isNumber = column.kind === 'integer' || column.kind === 'number'
  return isNumber ? sumValue(column, [{ value, exponent: 0 }]) : toApi(column, value)
}

/** Returns an integer as a number if that preserves its digits; other numerals stay texts. */
function numeralValue({ kind }: Column, numeral: string | null): unknown {
  return kind === 'integer' && numeral !== null && /^-?\d+$/.test(numeral)
    ? exactDigits(numeral)
    : numeral
}

function groupOf(
  dialect: Dialect,
  table: string,
  { column, part }: GroupKey,
  index: number
): Selected {
  const as = `crud_group_${index}`
  if (part) {
    const begin = dialect.beginOf(table, column, part)
    return {
      list: [`${begin} as ${as}`],
      order: (direction) => nullsLowest(`min(${begin})`, direction),
      read: (row) => row[as],
    }
  }
  return {
    list: [`${dialect.groupOf(table, column)} as ${as}`],
    order: (direction) =>
      dialect.orderOfGroups?.(table, column, direction) ?? `${index + 1} ${direction}`,
    read: ({ [as]: stored }) =>
      toApi(column, column.isText && Buffer.isBuffer(stored) ? stored.toString() : stored),
  }
}

function measureOf(dialect: Dialect, table: string, measure: Measure, index: number): Selected {
  const as = `crud_measure_${index}`
  const { column, of } = measure
  if (!column) {
    return {
      list: [`count(*) as ${as}`],
      order: (direction) => `count(*) ${direction}`,
      read: (row) => Number(row[as]),
    }
  }
  const value = dialect.measureOf(table, column)
  if (of === 'min' || of === 'max') {
    return {
      list: [`${dialect.boundOf(table, column, of)} as ${as}`],
      order: (direction) => nullsLowest(`${of}(${value})`, direction),
      read: (row) => boundValue(column, row[as]),
    }
  }
  const parts = dialect.sumOf(table, column)
  const partsOf = (row: Row) =>
    parts.map(({ exponent }, part) => ({ value: row[`${as}_${part}`], exponent }))
  return {
    list: [
      ...parts.map(({ sql }, part) => `${sql} as ${as}_${part}`),
      ...(of === 'avg' ? [`count(${value}) as ${as}`] : []),
    ],
    /* A float, because a sum of 64-bit integers could exceed 64 bits. */
    order: (direction) => nullsLowest(`${of}(${value} * 1.0)`, direction),
    read: (row) =>
      of === 'avg' ? averageValue(partsOf(row), Number(row[as])) : sumValue(column, partsOf(row)),
  }
}

/** Returns a term of `order by` that sorts null before other values, last in descending order. */
function nullsLowest(sql: string, direction: 'asc' | 'desc'): string {
  return direction === 'asc'
    ? `(${sql}) is null desc, ${sql} asc`
    : `(${sql}) is null asc, ${sql} desc`
}
