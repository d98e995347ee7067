import type { Column } from '#base/columns/column'
import type { Condition } from '#base/columns/condition'
import { readPlaced } from '#base/columns/filter'
import type { Operator } from '#base/columns/operators'
import { UnreadableFilter } from '#base/errors'
import { textOf } from '#base/values/numbers'
import { toApi } from '#base/values/to_api'

/**
 * Returns the condition for a value of application code. Null is found by any operator, and a list is one value each.
 *
 * @throws UnreadableFilter
 */
export function conditionOfValue(
  column: Column,
  operator: Operator,
  value: unknown,
  isNegated = false
): Condition {
  if (value === null) {
    const isFilled = operator === 'ne' || operator === 'is_not'
    return { type: 'null', column, negate: isFilled !== isNegated }
  }
  const given = Array.isArray(value)
    ? value.map((part) => codeText(column, part))
    : codeText(column, value)
  return readPlaced(column, operator, given, isNegated)
}

/**
 * Converts a value of application code to the form of a query string.
 *
 * @throws UnreadableFilter  for null and undefined
 */
export function codeText(column: Column, value: unknown): string {
  if (value === undefined || value === null) {
    throw new UnreadableFilter({ reason: 'missing', value })
  }
  return textOf(typeof value === 'object' ? toApi(column, value) : value)
}
