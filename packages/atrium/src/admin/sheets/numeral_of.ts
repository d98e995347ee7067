import { writeNumeral } from '#base/values/numbers'
import { ungrouped } from '../text/grouped_number.js'

const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/* 1.234.567,8 and 12,5: a comma before the decimals */
const WITH_COMMA = /^([+-]?)(\d+|\d{1,3}(?:[.'’\s]\d{3})+),(\d+)$/

/* Of longer ones, some of these expressions would take minutes; no column has so many digits. */
const LONGEST = 1000

/* 1,234 could be either. */
const AMBIGUOUS = /^[+-]?\d{1,3},\d{3}$/

/**
 * A plain numeral, as in `-1234.5`, for a number as people and programs write it: with separators of thousands, a comma
 * before the decimals, a plus, an exponent, zeros in front or at the end. A text that could mean two numbers, or means
 * none, or has more than a thousand letters, stays as it is. All other digits stay.
 */
export function numeralOf(text: string): string {
  if (text.length > LONGEST) return text
  if (PLAIN.test(text) || AMBIGUOUS.test(text)) return withoutZeros(text)
  const [all, sign, whole, decimals] = WITH_COMMA.exec(text) ?? []
  if (all !== undefined) return withoutZeros(`${sign}${whole.replaceAll(/\D/g, '')}.${decimals}`)
  const numeral = ungrouped(text)
  return FLOAT.test(numeral) ? withoutZeros(numeral) : text
}

/** `5` for `5.0` and `007`; `-1.25` for `-01.25` and `-125e-2`. */
function withoutZeros(numeral: string): string {
  if (/e/i.test(numeral)) {
    const number = Number(numeral)
    return Number.isFinite(number) ? writeNumeral(number) : numeral
  }
  const match = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(numeral)
  if (!match) return numeral
  const [, sign, whole, decimals = ''] = match
  const fraction = decimals === '' ? '' : `.${decimals}`
  const isZero = /^0*$/.test(whole + decimals)
  return `${sign === '-' && !isZero ? '-' : ''}${whole || '0'}${fraction}`
}
