import { exactInteger, significantDigits } from '../values/numbers.js'

/** An integer as a number if that keeps every digit, else as a string of digits. [A20] */
export function exactDigits(digits: string): number | string {
  return exactInteger(BigInt(digits)) ?? digits
}

/* A JavaScript number keeps this many digits of any decimal. */
const SAFE_DIGITS = 15

const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * A decimal as a number if that keeps every digit, else as the text, without the zeros that a database writes
 * at its end.
 */
export function exactDecimal(text: string): number | string {
  if (!PLAIN_DECIMAL.test(text)) return text
  const digits = significantDigits(text)
  return digits.replace(/^-?0*\.?0*|\./g, '').length <= SAFE_DIGITS ? Number(text) : digits
}
