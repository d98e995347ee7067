import {
  exactDecimal,
  readNumber,
  textOf,
  writeNumeral,
  grouped,
  isMisgrouped,
  ungrouped,
} from '#base/values/numbers'
import { readTime } from '#base/values/datetime'
import { localText, readInForm, readLocal } from '../../time/local_time.js'
import { jsonOf, prettyJson } from '../../text/json_text.js'
import type { FormField } from './form_field.js'
import { plainTexts } from '../../views/visible_when.js'
import { Widget } from '../../views/widget.js'
import { UnreadableText } from '../../text/errors.js'

const NO_NUMBER =
  'must be a number with a point before its decimals and commas, if any, before three digits each, as in 15,285,588.5'

const NO_MOMENT =
  'must be a date and a time, as in 2026-07-01 12:00, or with an offset, as in 2026-07-01T12:00+02:00'

/**
 * Returns the texts that a form shows for a value in the format of the API, one per input or selected value. Times are
 * in the viewer's time zone. `valueOf` parses them to the same value.
 */
export function textsOf(field: FormField, value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (field.widget instanceof Widget) return field.widget.show(value)
  if (field.multiple) return list(value).flatMap((one) => textsOfOne(field, one))
  return textsOfOne(field, value)
}

function textsOfOne(field: FormField, value: unknown): string[] {
  if (field.choices) return plainTexts(value)
  switch (field.valueType) {
    case 'json':
      return [prettyJson(value)]
    case 'number':
      return [numberText(field, textOf(value))]
    case 'datetime':
      return [localText(String(value))]
    case 'time':
      return [/^\d\d:\d\d(:\d\d)?/.exec(String(value))?.[0] ?? String(value)]
    default:
      return plainTexts(value)
  }
}

/**
 * Parses submitted texts to a value for the schema. A text that can't be converted is returned unchanged, so that the
 * schema rejects it.
 *
 * @param texts  submitted texts that are not empty
 * @returns undefined for no value
 * @throws UnreadableText  for an ambiguous number, an unknown format of a datetime, and a text that a widget can't read
 */
export function valueOf(field: FormField, texts: string[]): unknown {
  if (texts.length === 0) return undefined
  if (field.widget instanceof Widget) {
    return field.widget.read(field.password ? texts : texts.map((text) => text.trim()))
  }
  if (field.multiple) {
    return linesOf(field, texts).map((text) => valueOfOne(field, text))
  }
  /* A hidden input with `false` precedes the checkbox, so only the last text counts. */
  const last = texts[texts.length - 1]
  if (field.valueType === 'boolean') return valueOfOne(field, last)
  const values = texts.map((text) => valueOfOne(field, text))
  return values.length > 1 ? values : values[0]
}

/** Splits the values of a textarea, which are one per line. Selected values are separate inputs already. */
function linesOf(field: FormField, texts: string[]): string[] {
  if (field.widget !== 'textarea') return texts
  return texts.flatMap((text) => text.split('\n').filter((line) => line.trim() !== ''))
}

function valueOfOne(field: FormField, text: string): unknown {
  if (field.choices) {
    const choice = field.choices.find((one) => String(one) === text)
    if (choice !== undefined) return choice
  }
  switch (field.valueType) {
    case 'number':
      return numeralOf(field, text.trim())
    case 'boolean':
      return booleanOf(text.trim())
    case 'date':
      return text.trim()
    case 'datetime':
      return field.asTyped ? readInForm(text.trim()) : momentOf(field, text.trim())
    case 'time':
      return field.asTyped ? text.trim() : (readTime(text.trim()) ?? text.trim())
    case 'json':
      /* JSON `null` clears the field. */
      return jsonOf(text) ?? undefined
    default:
      return text
  }
}

function momentOf({ column }: FormField, text: string): string {
  const moment = readLocal(text)
  if (moment !== null) return moment
  /* A model with a custom conversion may accept other texts, such as `tomorrow`. */
  if (column?.preparesItself && !column.holdsDateTime) return text
  throw new UnreadableText('datetime', NO_MOMENT)
}

function numberText(field: FormField, numeral: string): string {
  return field.grouped ? grouped(numeral) : numeral
}

/**
 * Parses a number for the schema.
 *
 * @throws UnreadableText  for ambiguous separators
 */
function numeralOf({ strict, column }: FormField, text: string): unknown {
  /* A model with a custom conversion may accept other formats. */
  if (!column?.preparesItself && isMisgrouped(text)) throw new UnreadableText('number', NO_NUMBER)
  const numeral = plainNumeral(ungrouped(text))
  if (!strict) return numeral
  return column?.isDecimal ? exactDecimal(numeral) : (readNumber(numeral) ?? numeral)
}

/** Normalizes numbers such as `1e3`, `.5` and `1.0`, which number inputs submit and schemas and columns reject. */
function plainNumeral(text: string): string {
  const whole = /^(-?\d+)\.0*$/.exec(text)?.[1]
  if (whole !== undefined) return whole
  const isFloat = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)
  const isPlain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)
  if (!isFloat || isPlain || !Number.isFinite(Number(text))) return text
  return writeNumeral(Number(text))
}

function booleanOf(text: string): unknown {
  if (/^(?:true|1|on)$/i.test(text)) return true
  return /^(?:false|0)$/i.test(text) ? false : text
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
