import type { Column } from '#base/columns/column'

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

/** A validated aggregation. */
export interface Aggregation {
  groups: readonly Column[]
  measures: readonly Measure[]
  /** Indexes into the groups followed by the measures */
  sorts: ReadonlyArray<{ index: number; direction: 'asc' | 'desc' }>
  /** Minimum number of items of a group. Default: 1 */
  least?: number
  /** Maximum number of groups */
  limit: number
}
