import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import type { NamedFilter } from '#base/columns/filter'

/** The fields of related records that a request names, such as `distributor.name`, as the caller can see them. */
export interface RelatedLookup {
  /** Returns the meaning of a filter such as `distributor.name__contains` */
  filter(name: string): NamedFilter | undefined
  /** Returns the column to sort by for `distributor.name`; undefined where a record can have several */
  sortable(name: string): Column | undefined
  /**
   * Returns the condition for a value of application code; undefined for an unknown name.
   *
   * @throws UnreadableFilter
   */
  ofValue(name: string, value: unknown, isNegated: boolean): Condition | undefined
}

const PREFIX = /^(?:any\.\d{1,9}\.)?(?:not\.)?/

/** Returns the names with dots among the names of filters and of a sort order, without prefixes. */
export function relatedNames(filters: Iterable<string>, sort: string | undefined): string[] {
  const words = (sort ?? '').split(',').map((word) => word.replace(/^-/, ''))
  const names = [...filters].map((name) => name.replace(PREFIX, ''))
  return [...new Set([...names, ...words])].filter((name) => name.includes('.'))
}
