import { exactInteger } from '../values/numbers.js'

/**
 * An integer as a number where that has every digit, else as the digits. [A20]
 */
export function exactDigits(digits: string): number | string {
  return exactInteger(BigInt(digits)) ?? digits
}

/* So many digits of any decimal survive the way through a JavaScript number. */
const SAFE_DIGITS = 15

/**
 * A decimal as a number where that has every digit, else as it is written.
 */
export function exactDecimal(text: string): number | string {
  const digits = text.replace(/^-?0*\.?0*|\./g, '')
  return /^-?[\d.]+$/.test(text) && digits.length <= SAFE_DIGITS ? Number(text) : text
}
