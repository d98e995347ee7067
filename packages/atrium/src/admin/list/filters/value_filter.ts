import { splitList, splitPair, writeList } from '#base/columns/condition'
import { filterName, type ReadFilter } from '#base/columns/filter'
import type { Column } from '#base/columns/column'

/* Filters by one or several values of a column, such as the ticked values of a facet. */

/** A value as a text of the API; null for an empty cell */
export type FilterValue = string | null

/**
 * Returns name and text of the filter that matches any of the values. The empty text needs an operator, as an empty
 * filter would be ignored.
 */
export function filterByValues(
  column: Column,
  values: readonly FilterValue[]
): [name: string, text: string] {
  const texts = values.filter((value) => value !== null)
  if (texts.length < values.length) {
    if (texts.length === 0) return [filterName(column, 'is'), 'null']
    return [filterName(column, 'or'), writeList([...texts.map((text) => `eq:${text}`), 'is:null'])]
  }
  const [only] = texts
  if (texts.length > 1) return [filterName(column, 'in'), writeList(texts)]
  return only === '' ? [filterName(column, 'or'), 'eq:'] : [filterName(column, 'eq'), only]
}

/** Returns the values that a filter by values matches, or does not match if it is negated; null for other filters. */
export function valuesOfFilter({ operator, text, error }: ReadFilter): FilterValue[] | null {
  if (error) return null
  switch (operator) {
    case 'eq':
    case 'exact':
      return [text]
    case 'in':
      return splitList(text)
    case 'is':
      return text === 'null' ? [null] : null
    case 'or': {
      const values = splitList(text).map((pair) => {
        const [name, value] = splitPair(pair)
        if (name === 'eq') return value
        return name === 'is' && value === 'null' ? null : undefined
      })
      return values.includes(undefined) ? null : (values as FilterValue[])
    }
    default:
      return null
  }
}
