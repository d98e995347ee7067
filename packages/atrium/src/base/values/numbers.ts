const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }
const UNSIGNED = { least: 0n, most: 2n ** 64n - 1n }

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
 * @returns null if the text is not an integer or needs more than 64 bits
 */
export function readInteger(text: string, isUnsigned: boolean = false): ExactInteger | null {
  if (!/^(?:0|-?[1-9]\d{0,19})$/.test(text)) return null
  return exactInteger(BigInt(text), isUnsigned)
}

/**
 * @returns null if the integer needs more than 64 bits
 */
export function exactInteger(value: bigint, isUnsigned: boolean = false): ExactInteger | null {
  const { least, most } = isUnsigned ? UNSIGNED : INT64
  if (value < least || value > most) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** A number as a plain decimal numeral without an exponent, as `readNumber` reads it. */
export function writeNumeral(number: number): string {
  const text = String(number)
  const isPlain = Number.isFinite(number) && !text.includes('e') && !Object.is(number, -0)
  /* The formatter takes a hundred times as long. */
  if (isPlain) return text
  return number.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 21 })
}

/** The text of any value, of a number its plain numeral. */
export function textOf(value: unknown): string {
  return typeof value === 'number' ? writeNumeral(value) : String(value)
}

/**
 * Reads a plain decimal numeral, as in `-12.50`.
 */
export function readNumber(text: string): number | null {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** True for a stored text that is a decimal number, with blanks around it or an exponent too. */
export function isNumeral(text: string): boolean {
  return /^ *-?\d+(?:\.\d+)?(?:e[+-]?\d+)? *$/i.test(text)
}

/**
 * True if a decimal exceeds a column's range, in either direction. Compares digits, as numbers have too few of
 * them.
 *
 * @param value  a number, or a plain numeral
 * @param most   the largest value of the column, as in `999.99`
 */
export function isBeyondDecimal(value: ExactNumber, most: string): boolean {
  const [digits, fraction] = splitAtPoint(numeralOf(value).replace('-', ''))
  const [mostWhole, mostFraction] = splitAtPoint(most)
  const whole = digits.replace(/^0+(?=\d)/, '')
  if (whole.length !== mostWhole.length) return whole.length > mostWhole.length
  return whole === mostWhole ? withoutEndZeros(fraction) > mostFraction : whole > mostWhole
}

/** The number of decimal places of a number or a plain numeral, without zeros at its end. */
export function decimalPlaces(value: ExactNumber): number {
  return withoutEndZeros(splitAtPoint(numeralOf(value))[1]).length
}

/** A plain numeral without the zeros at the end of its fraction. */
export function significantDigits(numeral: string): string {
  const [whole, fraction] = splitAtPoint(numeral)
  const rest = withoutEndZeros(fraction)
  return rest === '' ? whole : `${whole}.${rest}`
}

function numeralOf(value: ExactNumber): string {
  const text = String(value)
  return typeof value === 'number' && text.includes('e') ? writeNumeral(value) : text
}

function splitAtPoint(numeral: string): [whole: string, fraction: string] {
  const [whole, fraction = ''] = numeral.split('.')
  return [whole, fraction]
}

/** A regular expression would try each zero of a long text as the first of the last ones. */
function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
