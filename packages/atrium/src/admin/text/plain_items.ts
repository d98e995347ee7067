const PLAIN = ['string', 'number', 'boolean']

/**
 * The items of a list as texts, or null for any other value and for a list of anything but texts, numbers and booleans.
 */
export function plainItems(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  return value.every((one) => PLAIN.includes(typeof one)) ? value.map(String) : null
}
