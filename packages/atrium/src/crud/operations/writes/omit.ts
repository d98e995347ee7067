import type { Resource } from '../../resource/resource.js'

/** A copy of the values without the names. */
export function omit(
  values: Record<string, unknown>,
  names: readonly string[]
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/** A copy of the values without those of the key. Lucid accepts a column's name for its attribute's as well. */
export function withoutKeys(
  { key }: Resource,
  values: Record<string, unknown>
): Record<string, unknown> {
  return omit(
    values,
    key.columns.flatMap((column) => [column.attribute, column.name])
  )
}
