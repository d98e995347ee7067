import type { Resource } from '../../resource/resource.js'

/** Returns a copy of the values without the given names. */
export function omit(
  values: Record<string, unknown>,
  names: readonly string[]
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/**
 * Returns a copy of the values without those of the key. Lucid also accepts column names in place of attribute names.
 */
export function withoutKeys(
  { key }: Resource,
  values: Record<string, unknown>
): Record<string, unknown> {
  return omit(
    values,
    key.columns.flatMap((column) => [column.attribute, column.name])
  )
}
