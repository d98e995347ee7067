/**
 * Reads JSON without losing a digit.
 *
 * @param unsafe  what becomes of an integer beyond 2^53, where JavaScript numbers begin to round
 * @throws SyntaxError
 */
export function parseJson(text: string, unsafe: (integer: bigint) => unknown): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value: unknown, context?: { source: string }) => {
    const source = context?.source
    const isUnsafe = typeof value === 'number' && !Number.isSafeInteger(value)
    return isUnsafe && source && /^-?\d+$/.test(source) ? unsafe(BigInt(source)) : value
  })
}

/**
 * Every BigInt inside the value, however deep, in a form that JSON has. [A20]
 */
export function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') return numberOrDigits(value)
  if (Array.isArray(value)) return value.map(withoutBigInts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutBigInts(inner)])
  )
}

/**
 * A number where that is written with the same digits again, else the digits as text: a document
 * comes back as it was sent, and no reader rounds what it can't hold.
 */
export function numberOrDigits(integer: bigint): number | string {
  const digits = String(integer)
  return String(Number(integer)) === digits ? Number(integer) : digits
}
