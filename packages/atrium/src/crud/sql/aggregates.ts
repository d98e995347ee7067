import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Column } from '#base/columns/column'
import type { DatePart, Dialect } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { exactDigits, textOf } from '#base/values/numbers'
import { averageOf, compareNumerals, totalOf, type SumPart } from '#base/values/decimal_sum'
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

/** A column by whose values, or by whose days, months or years, items are grouped. */
export interface GroupKey {
  /** Name in the response, such as `status` or `sold_on:month` */
  name: string
  column: Column
  part?: DatePart
  /** Time zone of the part of a datetime */
  zone?: string
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

/** An expression of the select list, and its order. */
interface Selected {
  list: string[]
  order: (direction: 'asc' | 'desc') => string
  /** Returns the value of a group from its row, or that of several groups together from their rows */
  read: (rows: readonly Row[]) => unknown
  /** Returns false if a faster expression was not exact */
  isExact?: (row: Row) => boolean
}

/** Aggregates rows of a model's table. */
export class Aggregates {
  constructor(
    private readonly resource: Pick<Readable, 'table'>,
    private readonly statements: RowStatements
  ) {}

  /**
   * Returns the groups of the selected rows. Without columns to group by there is one group, even without rows.
   *
   * @param totals  called with the measures of all groups together, unless there could be more groups than the limit
   */
  async groups(
    client: QueryClientContract,
    selection: Selection,
    aggregation: Aggregation,
    totals?: (row: AggregateRow) => void
  ): Promise<AggregateRow[]> {
    const { groups, limit, measures } = aggregation
    const dialect = dialectOf(client)
    const { table } = this.resource
    const keys = groups.map((key, index) => groupOf(dialect, table, key, index))
    let values: Selected[] = []
    let rows: Row[] = []
    for (const isQuick of [true, false]) {
      values = measures.map((one, index) => measureOf(dialect, table, one, index, isQuick))
      rows = await this.#rows(client, selection, aggregation, keys, values)
      if (rows.every((row) => values.every(({ isExact }) => isExact?.(row) ?? true))) break
    }
    if (rows.length < limit) {
      totals?.(Object.fromEntries(measures.map(({ name }, at) => [name, values[at].read(rows)])))
    }
    const names = namesOf(aggregation)
    const all = [...keys, ...values]
    return rows.map((row) =>
      Object.fromEntries(names.map((name, index) => [name, all[index].read([row])]))
    )
  }

  async #rows(
    client: QueryClientContract,
    selection: Selection,
    { least = 1, limit, sorts }: Aggregation,
    keys: readonly Selected[],
    values: readonly Selected[]
  ): Promise<Row[]> {
    const all = [...keys, ...values]
    const order = [
      ...sorts.map(({ direction, index }) => all[index].order(direction)),
      ...keys.map((key) => key.order('asc')),
    ]
    return await this.statements.aggregate(
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
  }
}

/** Returns the alias of a group's value in a result. */
export function groupAlias(index: number): string {
  return `crud_group_${index}`
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

/** Returns the API value of the lowest or highest value; null values do not count. */
export function boundValue(column: Column, of: 'min' | 'max', values: readonly unknown[]): unknown {
  const sign = of === 'min' ? 1 : -1
  const known = values.filter((value) => value !== null).map((value) => boundToApi(column, value))
  return known.reduce(
    (found, one) => (compareValues(found, one) * sign <= 0 ? found : one),
    known[0] ?? null
  )
}

function boundToApi(column: Column, value: unknown): unknown {
  const isNumber = column.kind === 'integer' || column.kind === 'number'
  return isNumber ? sumValue(column, [{ value, exponent: 0 }]) : toApi(column, value)
}

/** Compares two API values: null first, numerals by size, texts by code point. */
export function compareValues(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (isNumeral(one) && isNumeral(other)) return compareNumerals(textOf(one), textOf(other))
  return Buffer.compare(Buffer.from(textOf(one)), Buffer.from(textOf(other)))
}

function isNumeral(value: unknown): boolean {
  return typeof value === 'number' || /^-?\d+(?:\.\d+)?$/.test(String(value))
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
  { column, part, zone }: GroupKey,
  index: number
): Selected {
  const as = groupAlias(index)
  if (part) {
    return {
      list: [`${dialect.beginOf(table, column, part, zone)} as ${as}`],
      /* A database that sorts null last needs an expression; the others do not sort the groups again. */
      order: (direction) =>
        dialect.orderOfGroups
          ? nullsLowest(`min(${dialect.measureOf(table, column)})`, direction)
          : `${index + 1} ${direction}`,
      read: ([row]) => row[as],
    }
  }
  return {
    list: [`${dialect.groupOf(table, column)} as ${as}`],
    order: (direction) =>
      dialect.orderOfGroups?.(table, column, direction) ?? `${index + 1} ${direction}`,
    read: ([{ [as]: stored }]) =>
      toApi(column, column.isText && Buffer.isBuffer(stored) ? stored.toString() : stored),
  }
}

function measureOf(
  dialect: Dialect,
  table: string,
  measure: Measure,
  index: number,
  isQuick: boolean
): Selected {
  const as = `crud_measure_${index}`
  const { column, of } = measure
  if (!column) {
    return {
      list: [`count(*) as ${as}`],
      order: (direction) => `count(*) ${direction}`,
      read: (rows) => totalIn(rows, as),
    }
  }
  const value = dialect.measureOf(table, column)
  if (of === 'min' || of === 'max') {
    return {
      list: [`${dialect.boundOf(table, column, of)} as ${as}`],
      order: (direction) => nullsLowest(`${of}(${value})`, direction),
      read: (rows) =>
        boundValue(
          column,
          of,
          rows.map((row) => row[as])
        ),
    }
  }
  const quick = isQuick ? dialect.quickSumOf?.(table, column) : undefined
  const parts = quick ? [quick.sum] : dialect.sumOf(table, column)
  const partsOf = (row: Row) =>
    parts.map(({ exponent }, part) => ({ value: row[`${as}_${part}`], exponent }))
  return {
    list: [
      ...parts.map(({ sql }, part) => `${sql} as ${as}_${part}`),
      ...(quick ? [`${quick.isExact} as ${as}_exact`] : []),
      ...(of === 'avg' ? [`count(${value}) as ${as}`] : []),
    ],
    /* A float, because a sum of 64-bit integers could exceed 64 bits. */
    order: (direction) => nullsLowest(`${of}(${value} * 1.0)`, direction),
    read: (rows) => {
      const sums = rows.flatMap(partsOf)
      return of === 'avg' ? averageValue(sums, totalIn(rows, as)) : sumValue(column, sums)
    },
    ...(quick && {
      isExact: (row: Row) =>
        row[`${as}_exact`] === null ||
        (Boolean(row[`${as}_exact`]) && Number.isSafeInteger(Number(row[`${as}_0`]))),
    }),
  }
}

function totalIn(rows: readonly Row[], as: string): number {
  return rows.reduce((total, row) => total + Number(row[as]), 0)
}

/** Returns a term of `order by` that sorts null before other values, last in descending order. */
function nullsLowest(sql: string, direction: 'asc' | 'desc'): string {
  return direction === 'asc'
    ? `(${sql}) is null desc, ${sql} asc`
    : `(${sql}) is null asc, ${sql} desc`
}
