import { crudConfig } from '#crud/settings'
import { readDateTime, readTime } from '#crud/values/datetime'
import {
  IntegerTooLong,
  isDeeper,
  MOST_DIGITS,
  numberOrDigits,
  parseJson,
  writeJson,
} from '#crud/values/json'
import { readNumber, writeNumeral } from '#crud/values/numbers'
import { prettyJson } from '../../text/pretty_json.js'
import type { FormField } from './form_field.js'
import { Widget } from './widget.js'

/**
 * Why a text can't be read at all, where the schema would not get to see it.
 */
export class UnreadableText extends Error {
  constructor(
    readonly rule: string,
    message: string
  ) {
    super(message)
  }
}

/**
 * What a form shows for a value of the wire, one text for each input or chosen value. Reading them
 * again gives the value back. [B17]
 */
export function textsOf(field: FormField, value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (field.widget instanceof Widget) return field.widget.show(value)
  if (field.multiple) return list(value).flatMap((one) => textsOfOne(field, one))
  return textsOfOne(field, value)
}

function textsOfOne(field: FormField, value: unknown): string[] {
  if (field.choices) return plainTexts(value)
  switch (field.holds) {
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
 * The plain text of a value.
 */
export function plainTexts(value: unknown): string[] {
  if (value === null || value === undefined) return []
  return [typeof value === 'object' ? writeJson(value) : String(value)]
}

/**
 * The value that the texts stand for, for the schema to judge: a text that is none of the field's kind
 * stays one.
 *
 * @param texts  without empty ones
 * @returns undefined for no value
 * @throws UnreadableText
 */
export function valueOf(field: FormField, texts: string[]): unknown {
  if (texts.length === 0) return undefined
  if (field.widget instanceof Widget) return field.widget.read(texts.map((text) => text.trim()))
  if (field.multiple) {
    return linesOf(field, texts).map((text) => valueOfOne(field, text))
  }
  /* A hidden `false` stands before the checkbox. [B17] */
  const last = texts[texts.length - 1]
  if (field.holds === 'boolean') return valueOfOne(field, last)
  const values = texts.map((text) => valueOfOne(field, text))
  return values.length > 1 ? values : values[0]
}

/** One a line, where they are typed; chosen ones come each for itself. */
function linesOf(field: FormField, texts: string[]): string[] {
  if (field.widget !== 'textarea') return texts
  return texts.flatMap((text) => text.split('\n').filter((line) => line.trim() !== ''))
}

function valueOfOne(field: FormField, text: string): unknown {
  if (field.choices) {
    const choice = field.choices.find((one) => String(one) === text)
    if (choice !== undefined) return choice
  }
  switch (field.holds) {
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
 * Number inputs also send `1e3`, `.5`, `1.0`, which everything behind the form does not take for
 * numbers.
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

/** As the body of an endpoint: no deeper, and no longer integers. [A29] */
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
  /* As empty as a field can be. */
  return value === null ? undefined : value
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
