const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }
const UNSIGNED = { least: 0n, most: 2n ** 64n - 1n }

/**
 * An exact integer of any column: a number if that preserves all digits, otherwise the digits as text, which every
 * driver binds without loss.
 */
export type ExactInteger = number | string

/** A number with every digit that was sent: as text if a JavaScript number would lose digits. */
export type ExactNumber = number | string

/**
 * Reads digits with an optional minus, without exponent, plus, hexadecimal or leading zeros.
 *
 * @returns null if the text is not an integer or needs more than 64 bits
 */
export function readInteger(text: string, isUnsigned: boolean = false): ExactInteger | null {
  if (!/^(?:0|-?[1-9]\d{0,19})$/.test(text)) return null
  return exactInteger(BigInt(text), isUnsigned)
}

/** Returns an integer that is not negative, at most the largest safe integer; null for any other text. */
export function countIn(text: string): number | null {
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : null
}

/**
 * Returns an integer of up to 64 bits with every digit.
 *
 * @returns null if the integer needs more than 64 bits
 */
export function exactInteger(value: bigint, isUnsigned: boolean = false): ExactInteger | null {
  const { least, most } = isUnsigned ? UNSIGNED : INT64
  if (value < least || value > most) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** Returns a number as a plain decimal numeral without an exponent, as `readNumber` reads it. */
export function writeNumeral(number: number): string {
  const text = String(number)
  const isPlain = Number.isFinite(number) && !text.includes('e') && !Object.is(number, -0)
  /* `toLocaleString` takes a hundred times as long. */
  if (isPlain) return text
  return number.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 21 })
}

/** Returns the text of any value; a number becomes a plain numeral. */
export function textOf(value: unknown): string {
  return typeof value === 'number' ? writeNumeral(value) : String(value)
}

/** Reads a plain decimal numeral such as `-12.50`. */
export function readNumber(text: string): number | null {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

/** True for a stored text that is a decimal number, optionally with an exponent or surrounding spaces. */
export function isNumeral(text: string): boolean {
  return /^ *-?\d+(?:\.\d+)?(?:e[+-]?\d+)? *$/i.test(text)
}

/**
 * True if a decimal exceeds a column's range, in either direction. Compares digits, because JavaScript numbers are not
 * precise enough.
 *
 * @param value  a number, or a plain numeral
 * @param most   largest value of the column, such as `999.99`
 */
export function isBeyondDecimal(value: ExactNumber, most: string): boolean {
  const [digits, fraction] = splitAtPoint(numeralOf(value).replace('-', ''))
  const [mostWhole, mostFraction] = splitAtPoint(most)
  const whole = digits.replace(/^0+(?=\d)/, '')
  if (whole.length !== mostWhole.length) return whole.length > mostWhole.length
  return whole === mostWhole ? withoutEndZeros(fraction) > mostFraction : whole > mostWhole
}

/** Returns the number of decimal places of a number or a plain numeral, without trailing zeros. */
export function decimalPlaces(value: ExactNumber): number {
  return withoutEndZeros(splitAtPoint(numeralOf(value))[1]).length
}

/** Returns a plain numeral without trailing zeros after the decimal point. */
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

/** Removes trailing zeros. A regular expression would be slow, because it tries each zero of a long text as a start. */
function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** Returns an integer as a number if that preserves every digit, otherwise as a string of digits. */
export function exactDigits(digits: string): number | string {
  return exactInteger(BigInt(digits)) ?? digits
}

/* A JavaScript number preserves this many digits of any decimal. */
const SAFE_DIGITS = 15

const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/

/** Returns a decimal as a number if that preserves every digit, otherwise as text without trailing zeros. */
export function exactDecimal(text: string): number | string {
  if (!PLAIN_DECIMAL.test(text)) return text
  const digits = significantDigits(text)
  return digits.replace(/^-?0*\.?0*|\./g, '').length <= SAFE_DIGITS ? Number(text) : digits
}

/* Number with the same thousands separator throughout */
const GROUPED = /^[+-]?\d{1,3}([,'’_\s])\d{3}(?:\1\d{3})*(?:\.\d+)?$/

/* Digits with separators, or with several points */
const WITH_SEPARATORS = /^(?=.*(?:[,'’_\s]|\..*\.))[+-]?\d[\d.,'’_\s]*$/

/* Shorter numbers are easy to read, and can be years. */
const LONG = /^(-?)(\d{5,})(\.\d+)?$/

/**
 * Adds thousands separators to a numeral of at least 10,000, such as `15,285,588.5`; returns any other text unchanged.
 */
export function grouped(numeral: string): string {
  const [, sign, whole, decimals = ''] = LONG.exec(numeral) ?? []
  return whole === undefined ? numeral : sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + decimals
}

/** Removes the thousands separators of a number such as `93,828`; returns any other text unchanged. */
export function ungrouped(text: string): string {
  return GROUPED.test(text) ? text.replace(/[,'’_\s]/g, '') : text
}

/** Returns true for a number with separators at wrong positions, such as `1,5`. */
export function isMisgrouped(text: string): boolean {
  return WITH_SEPARATORS.test(text) && !GROUPED.test(text)
}

/** Formats a number for people, with thousands separators: `12,345`. */
export function groupedNumber(number: number): string {
  return number.toLocaleString('en')
}
