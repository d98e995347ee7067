import { exactInteger } from '../values/numbers.js'

/** An integer as a number if that keeps every digit, else as a string of digits. [A20] */
export function exactDigits(digits: string): number | string {
  return exactInteger(BigInt(digits)) ?? digits
}

/* A JavaScript number keeps this many digits of any decimal. */
const SAFE_DIGITS = 15

/** A decimal as a number if that keeps every digit, else as the text. */
export function exactDecimal(text: string): number | string {
  const digits = text.replace(/^-?0*\.?0*|\./g, '')
  return /^-?[\d.]+$/.test(text) && digits.length <= SAFE_DIGITS ? Number(text) : text
}
