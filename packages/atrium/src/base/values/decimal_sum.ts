import { significantDigits, textOf } from './numbers.js'

/** A decimal as `digits / 10 ** scale`. */
interface Decimal {
  digits: bigint
  scale: number
}

/** A part of a sum: `value * 10 ** exponent`. Databases without exact decimals sum several parts of each value. */
export interface SumPart {
  value: unknown
  exponent: number
}

/* Decimal places of an average */
const PLACES = 10

const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Returns the total of the parts with every digit, as a plain numeral without trailing zeros.
 *
 * @returns null without a value; for infinity and values that are not numbers, the text of the database
 */
export function totalOf(parts: readonly SumPart[]): string | null {
  if (parts.every(({ value }) => value === null || value === undefined)) return null
  const decimals = parts.map(({ value, exponent }) => shifted(readDecimal(value), exponent))
  if (decimals.some((one) => one === null)) return inexactTotal(parts)
  return written(decimals.reduce((sum, one) => plus(sum!, one!), { digits: 0n, scale: 0 })!)
}

/**
 * Returns the average to ten decimal places, rounded half away from zero.
 *
 * @param total  result of `totalOf`
 */
export function averageOf(total: string, count: number): string {
  const sum = readDecimal(total)
  if (!sum) return textOf(Number(total) / count)
  const places = Math.max(PLACES, sum.scale)
  const numerator = sum.digits * 10n ** BigInt(places - sum.scale)
  const divisor = BigInt(count)
  const half = numerator < 0n ? -divisor : divisor
  const rounded = (2n * numerator + half) / (2n * divisor)
  return rounded.toString() === '0' ? '0' : written({ digits: rounded, scale: places })
}

/** Compares two numerals; one that is not a number is the greater. */
export function compareNumerals(one: string, other: string): number {
  const [left, right] = [readDecimal(one), readDecimal(other)]
  if (!left || !right) return Number(!left) - Number(!right)
  const { digits } = plus(left, { ...right, digits: -right.digits })
  return digits < 0n ? -1 : Number(digits > 0n)
}

function readDecimal(value: unknown): Decimal | null {
  if (value === null || value === undefined) return { digits: 0n, scale: 0 }
  const match = PLAIN.exec(textOf(value))
  if (!match) return null
  const [, sign, whole, fraction = ''] = match
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length }
}

function shifted(value: Decimal | null, exponent: number): Decimal | null {
  if (!value || exponent === 0) return value
  const scale = value.scale - exponent
  if (scale >= 0) return { digits: value.digits, scale }
  return { digits: value.digits * 10n ** BigInt(-scale), scale: 0 }
}

function plus(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale)
  const digitsOf = (of: Decimal) => of.digits * 10n ** BigInt(scale - of.scale)
  return { digits: digitsOf(one) + digitsOf(other), scale }
}

function written({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const numeral = significantDigits(`${whole}.${text.slice(text.length - scale)}`)
  return numeral === '0' ? numeral : sign + numeral
}

/**
 * Returns the total as a JavaScript number, rounded to its precision, for sums that are infinite or beyond the range of
 * exact sums; a single value that is not a number is returned as text.
 */
function inexactTotal(parts: readonly SumPart[]): string {
  if (parts.length === 1 && Number.isNaN(Number(parts[0].value))) return String(parts[0].value)
  const total = parts.reduce((sum, { value, exponent }) => {
    return sum + Number(value ?? 0) * 10 ** exponent
  }, 0)
  return textOf(total)
}
