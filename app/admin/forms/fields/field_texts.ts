import { crudConfig } from '#crud'
import {
  readDateTime,
  readTime,
  IntegerTooLong,
  isDeeper,
  MOST_DIGITS,
  numberOrDigits,
  parseJson,
  readNumber,
  writeNumeral,
} from '#crud/internals'
import { prettyJson } from '../../text/pretty_json.js'
import type { FormField } from './form_field.js'
import { plainTexts } from './plain_texts.js'
import { Widget } from './widget.js'
import { UnreadableText } from '../../errors.js'

/**
 * Texts that a form shows for a value of the API, one per input or chosen value. Parsing them again
 * returns the value. [B17]
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
      return [typeof value === 'number' ? writeNumeral(value) : String(value)]
    case 'datetime':
      return [String(readDateTime(String(value)) ?? value).replace(' ', 'T')]
    case 'time':
      return [/^\d\d:\d\d(:\d\d)?/.exec(String(value))?.[0] ?? String(value)]
    default:
      return plainTexts(value)
  }
}

/**
 * Parses submitted texts to a value for the schema. A text that can't be converted stays a text,
 * for the schema to reject.
 *
 * @param texts  submitted texts that are not empty
 * @returns undefined for no value
 * @throws UnreadableText
 */
export function valueOf(field: FormField, texts: string[]): unknown {
  if (texts.length === 0) return undefined
  if (field.widget instanceof Widget) return field.widget.read(texts.map((text) => text.trim()))
  if (field.multiple) {
    return linesOf(field, texts).map((text) => valueOfOne(field, text))
  }
  /* A hidden `false` precedes the checkbox. [B17] */
  const last = texts[texts.length - 1]
  if (field.valueType === 'boolean') return valueOfOne(field, last)
  const values = texts.map((text) => valueOfOne(field, text))
  return values.length > 1 ? values : values[0]
}

/** Typed values are one per line; chosen ones are sent separately. */
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
      return field.asTyped ? text.trim() : (readDateTime(text.trim()) ?? text.trim())
    case 'time':
      return field.asTyped ? text.trim() : (readTime(text.trim()) ?? text.trim())
    case 'json':
      return jsonOf(text)
    default:
      return text
  }
}

function numeralOf({ strict }: FormField, text: string): unknown {
  const numeral = plainNumeral(text)
  return strict ? (readNumber(numeral) ?? numeral) : numeral
}

/**
 * Number inputs also send `1e3`, `.5` and `1.0`, which schemas and columns reject as numbers.
 */
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

/** Same limits as for JSON bodies: depth and size of integers. [A29] */
function jsonOf(text: string): unknown {
  const { depth } = crudConfig().body
  if (isDeeper(text, depth)) {
    throw new UnreadableText('depth', `must not nest more than ${depth} levels deep`)
  }
  let value: unknown
  try {
    value = parseJson(text, numberOrDigits, MOST_DIGITS)
  } catch (error) {
    if (error instanceof IntegerTooLong) {
      const reason = `must not have an integer of more than ${MOST_DIGITS} digits`
      throw new UnreadableText('digits', reason)
    }
    throw new UnreadableText('json', 'must be valid JSON')
  }
  /* JSON `null` empties the field. */
  return value === null ? undefined : value
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
