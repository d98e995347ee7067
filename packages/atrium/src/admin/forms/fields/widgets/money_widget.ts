import { exactDecimal } from '#base/database/exact_numbers'
import type { ShownCell } from '../../../list/cell.js'
import { grouped } from '../../../text/grouped_number.js'
import { FormWidget } from './form_widget.js'
import {
  currencySign,
  decimalsOf,
  formattedMoney,
  moneyText,
  readMoney,
  type Money,
} from './money_text.js'

interface MoneyOptions {
  currency: string
  /** The column holds integers of the smallest unit */
  minorUnits: boolean
  /** The column holds integers */
  isInteger: boolean
  /** The schema accepts numbers only */
  strict: boolean
}

/**
 * An amount of one currency, typed as a number, with or without separators of thousands. [R13]
 */
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

  /** A text input takes no limits of numbers; the server checks them. */
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

  /** More decimals than the currency has are rounded, and are in the tooltip. */
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
