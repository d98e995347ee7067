/** A copy of the values without the names. */
export function omit(
  values: Record<string, unknown>,
  names: readonly string[]
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}
