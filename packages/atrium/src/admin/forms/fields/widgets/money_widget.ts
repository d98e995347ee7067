import { textOf, exactDecimal, ungrouped, grouped } from '#base/values/numbers'
import { UnreadableText } from '../../../text/errors.js'
import type { ShownCell } from '../../../list/cell.js'
import { FormWidget } from './form_widget.js'

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?$/
const TYPED = /^([+-]?)(\d*)(?:\.(\d*))?$/

/** The currency of an amount, and the number of decimals to read and store. */
interface Money {
  currency: string
  decimals: number
  /** True if amounts are stored as integers of the smallest unit */
  minorUnits: boolean
}

const formats = new Map<string, Intl.NumberFormat>()

/**
 * Returns the number format of a currency. Cached, as creating one takes longer than formatting a page with it.
 *
 * @param decimals  number of decimals; default: that of the currency
 */
export function formatOf(currency: string, decimals?: number): Intl.NumberFormat {
  const key = `${currency} ${decimals}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
    formats.set(key, format)
  }
  return format
}

/** Returns the number of decimals of a currency: none for JPY, two for EUR, three for KWD. */
export function decimalsOf(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits!
}

/**
 * Returns the amount of a stored value as a plain number, with at least the decimals of its currency.
 *
 * @returns null if the value is not a number
 */
export function moneyText(value: unknown, { decimals, minorUnits }: Money): string | null {
  const written = textOf(value)
  const [, sign, whole, part = ''] = NUMERAL.exec(written) ?? []
  if (whole === undefined) return null
  if (!minorUnits) return decimals === 0 ? written : `${sign}${whole}.${part.padEnd(decimals, '0')}`
  if (part !== '') return null
  const digits = whole.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return sign + digits.slice(0, point) + (decimals === 0 ? '' : `.${digits.slice(point)}`)
}

/**
 * Returns the number to store for an entered amount, which may have thousands separators.
 *
 * @throws UnreadableText  if the text is not an amount or has too many decimals
 */
export function readMoney(typed: string, { currency, decimals, minorUnits }: Money): string {
  const [, sign, whole, part = ''] = TYPED.exec(ungrouped(typed)) ?? []
  if (whole === undefined || whole + part === '') {
    const example =
      decimals === 0 ? '1234' : `1234.${'50'.padEnd(decimals, '0').slice(0, decimals)}`
    throw new UnreadableText('money', `must be an amount such as ${example}`)
  }
  if (part.length > decimals) {
    const most = decimals === 0 ? 'no decimals' : `at most ${decimals} decimals`
    throw new UnreadableText('money', `must have ${most} (${currency})`)
  }
  const digits = minorUnits ? whole + part.padEnd(decimals, '0') : whole
  const rest = minorUnits ? '' : part.replace(/0+$/, '')
  const numeral = (digits.replace(/^0+(?=\d)/, '') || '0') + (rest === '' ? '' : `.${rest}`)
  return sign === '-' && /[1-9]/.test(numeral) ? `-${numeral}` : numeral
}

/** Formats an amount with the symbol of its currency, rounded to its decimals. No digits of large amounts are lost. */
export function formattedMoney(amount: string, { currency, decimals }: Money): string {
  return formatOf(currency, decimals).format(amount as `${number}`)
}

/** Returns the symbol of the currency, as a prefix or a suffix. */
export function currencySign(currency: string): { prefix?: string; suffix?: string } {
  const parts = formatOf(currency).formatToParts(1)
  const place = parts.findIndex(({ type }) => type === 'currency')
  const sign = parts[place]?.value ?? currency
  return place < parts.findIndex(({ type }) => type === 'integer')
    ? { prefix: sign }
    : { suffix: sign }
}

interface MoneyOptions {
  currency: string
  /** True if the column stores integers of the smallest unit */
  minorUnits: boolean
  /** True if the column stores integers */
  isInteger: boolean
  /** True if the schema accepts only numbers */
  strict: boolean
}

/** An amount in a currency, with or without thousands separators. */
export class MoneyWidget extends FormWidget {
  readonly template = 'admin/partials/fields/input'
  readonly control = 'input'
  readonly cellControl = 'input'
  readonly hasBox = true
  readonly prefix?: string
  readonly suffix?: string
  readonly #money: Money
  readonly #strict: boolean

  constructor({ currency, minorUnits, isInteger, strict }: MoneyOptions) {
    super()
    const decimals = isInteger && !minorUnits ? 0 : decimalsOf(currency)
    this.#money = { currency, decimals, minorUnits }
    this.#strict = strict
    const { prefix, suffix } = currencySign(currency)
    this.prefix = prefix
    this.suffix = suffix
  }

  /** Returns no numeric limits, as the input is a text input. The server checks the limits. */
  attributesFrom() {
    return { inputmode: 'decimal', autocomplete: 'off' }
  }

  read(values: string[]): unknown {
    const numeral = readMoney(values[values.length - 1], this.#money)
    return this.#strict ? exactDecimal(numeral) : numeral
  }

  show(value: unknown): string[] {
    return [grouped(moneyText(value, this.#money) ?? String(value))]
  }

  words(value: unknown): string {
    return this.cell(value)?.text ?? String(value)
  }

  /**
   * Rounds to the decimals of the currency; the tooltip contains the exact amount. Null for a value that is not a
   * number.
   */
  cell(value: unknown): ShownCell | null {
    const amount = moneyText(value, this.#money)
    if (amount === null) return null
    const { currency, decimals } = this.#money
    const isRounded = (amount.split('.')[1] ?? '').length > decimals
    return {
      kind: 'number',
      text: formattedMoney(amount, this.#money),
      ...(isRounded && { title: `${amount} ${currency}` }),
    }
  }
}
