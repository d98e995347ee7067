import { exactInteger, significantDigits } from '../values/numbers.js'

/** Returns an integer as a number if that preserves every digit, otherwise as a string of digits. [A20] */
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
