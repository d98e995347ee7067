const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }

/**
 * An exact integer of any column: a number if that has all digits, otherwise the digits as text, which
 * every driver binds without loss. [A20]
 */
export type ExactInteger = number | string

/** A number with every digit that was sent: as text if a JavaScript number would lose some. */
export type ExactNumber = number | string

/**
 * Reads plain digits with an optional minus, nothing else: no exponent, no plus, no hex, no leading
 * zeros.
 *
 * @returns null if the text is no integer or needs more than 64 bits
 */
export function readInteger(text: string): ExactInteger | null {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return null
  return exactInteger(BigInt(text))
}

/**
 * @returns null if the integer needs more than 64 bits
 */
export function exactInteger(value: bigint): ExactInteger | null {
  if (value < INT64.least || value > INT64.most) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** A number as a plain decimal numeral without an exponent, as `readNumber` reads it. */
export function writeNumeral(number: number): string {
  return number.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 21 })
}

/**
 * Reads a plain decimal numeral, as in `-12.50`.
 */
export function readNumber(text: string): number | null {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/**
 * True if a decimal exceeds a column's range, in either direction, after it is rounded to the column's
 * last digit. Compares digits, as numbers have too few of them.
 *
 * @param value  a number, or a plain numeral
 * @param range  as in `{ most: '999.99', scale: 2 }`
 */
export function isBeyondDecimal(
  value: ExactNumber,
  { most, scale }: { most: string; scale: number }
): boolean {
  if (typeof value === 'number') return Math.abs(value) >= Number(most) + 0.5 / 10 ** scale
  const [whole, fraction] = splitAtPoint(value.replace('-', ''))
  const places = Math.max(fraction.length, scale + 1)
  const half = 5n * 10n ** BigInt(places - scale - 1)
  return scaled(whole, fraction, places) >= scaled(...splitAtPoint(most), places) + half
}

function splitAtPoint(numeral: string): [whole: string, fraction: string] {
  const [whole, fraction = ''] = numeral.split('.')
  return [whole, fraction]
}

function scaled(whole: string, fraction: string, places: number): bigint {
  return BigInt(whole + fraction.padEnd(places, '0'))
}
