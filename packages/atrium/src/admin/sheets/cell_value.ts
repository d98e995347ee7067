import type { Column } from '#base/columns/column'
import { readNumber } from '#base/values/numbers'
import { jsonOf } from '../text/json_of_text.js'
import { readLocal } from '../time/local_time.js'
import { UTC } from '../time/time_zone.js'
import { UnreadableText } from '../errors.js'
import { type DateOrder, isoDate, isoReadings } from './date_order.js'
import { serialText } from './date_serials.js'
import type { FileFormat } from './file_format.js'
import type { Cell } from './file_shape.js'
import { numeralOf } from './numeral_of.js'

export interface ValueOptions {
  /** In NDJSON and JSON the text of a JSON column is a text; elsewhere it is JSON. Default: `csv` */
  format?: FileFormat
  /** Of dates whose day and month could be either; default: those of which only one reading is a date */
  dateOrder?: DateOrder
  /** True if numbers of days count from 1904 */
  isFrom1904?: boolean
  /** The time zone of datetimes without an offset; default: UTC, as exports have them [R12] */
  zone?: string
}

/** Words for true and false, in any case; spreadsheets in German write the last two. */
const TRUE = /^(?:true|yes|1|ja|wahr)$/i
const FALSE = /^(?:false|no|0|nein|falsch)$/i

/**
 * The value of a file's cell as the body of a create or an update takes it. A text that can't be
 * read is handed over as it stands, so that validation names the error. [D3]
 *
 * @param column  undefined for a field without a column
 * @param cell    of `readRows`
 * @throws UnreadableText  for a text that validation would take for something else: JSON with an error, a time that there
 *   is twice or not at all in the zone
 */
export function valueOfCell(
  column: Column | undefined,
  cell: Cell,
  options: ValueOptions = {}
): unknown {
  if (column === undefined || cell === null || cell === undefined) return cell
  const { format = 'csv' } = options
  const isWord = format === 'csv' || format === 'xlsx'
  if (column.isText) return textOf(cell, isWord)
  if (typeof cell === 'number') return column.kind === 'integer' ? withDigits(cell) : cell
  if (typeof cell !== 'string') return cell
  const text = cell.trim()
  if (column.kind === 'json') return isWord ? jsonValue(text) : cell
  /* Only a text can be empty without being null. */
  if (text === '') return null
  switch (column.kind) {
    case 'integer':
      return integerOf(text)
    case 'number':
      return numberOf(text)
    case 'boolean':
      return booleanOf(text)
    case 'date':
      return dateOf(text, options)
    case 'datetime':
      return momentOf(text, options)
    case 'time':
      return timeOf(text)
    default:
      return text
  }
}

/** A title such as 1917 is a number in JSON. */
function textOf(cell: Cell, isWord: boolean): unknown {
  return typeof cell === 'number' || (isWord && typeof cell === 'boolean') ? String(cell) : cell
}

function jsonValue(text: string): unknown {
  return text === '' ? null : jsonOf(text)
}

/**
 * An integer beyond 2^53 as its digits. With an exponent it stays the text, which validation refuses: that is what
 * spreadsheets make of a long integer, and its last digits are gone.
 */
function integerOf(text: string): unknown {
  const value = numberOf(text)
  if (typeof value !== 'number' || !isRounding(value)) return value
  return /e/i.test(text) ? text : withDigits(value)
}

/** A file's number that JavaScript keeps exactly; beyond 2^53 columns take it as digits alone. */
function withDigits(number: number): number | string {
  const digits = String(number)
  return isRounding(number) && !digits.includes('e') ? digits : number
}

/** True for integers among which not each is a JavaScript number */
function isRounding(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number)
}

/** Numerals with more digits than a JavaScript number keeps stay texts, which columns take. */
function numberOf(text: string): unknown {
  const numeral = numeralOf(text)
  const number = readNumber(numeral)
  return number !== null && String(number) === numeral ? number : numeral
}

function booleanOf(text: string): unknown {
  if (TRUE.test(text)) return true
  return FALSE.test(text) ? false : text
}

/**
 * The text with its date in ISO format; also the number of a day in the calendar of spreadsheets. Other texts stay.
 *
 * @throws UnreadableText  for a date that could be two days
 */
function inIso(text: string, { dateOrder, format, isFrom1904 = false }: ValueOptions): string {
  const isSheet = format === undefined || format === 'csv' || format === 'xlsx'
  const serial = isSheet ? serialText(text, isFrom1904) : null
  if (serial !== null) return serial
  if (dateOrder !== undefined) return isoDate(text, dateOrder) ?? text
  const [iso, other] = isoReadings(text)
  if (other !== undefined) {
    throw new UnreadableText(
      'dateOrder',
      `could be ${iso} or ${other}: choose the order of day, month and year`
    )
  }
  return iso ?? text
}

/** A spreadsheet may keep a day as its midnight. */
function dateOf(text: string, options: ValueOptions): string {
  return inIso(text, options).replace(/(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?$/, '')
}

const CLOCK = /(?<=^|[T ])(\d{1,2}):(\d\d)(:\d\d)?(?:\s?([ap])\.?m\.?)?(?=$|[.Z+-])/i

function momentOf(text: string, options: ValueOptions): string {
  const iso = timeOf(inIso(text, options)).replace(/ (?:GMT|UTC)$/, 'Z')
  return readLocal(iso, options.zone ?? UTC) ?? iso
}

/** A time of day with two digits an hour and 24 hours a day. */
function timeOf(text: string): string {
  return text.replace(CLOCK, (all, hour: string, minute: string, second = '', half = '') => {
    if (half === '') return `${hour.padStart(2, '0')}:${minute}${second}`
    const hours = Number(hour)
    if (hours < 1 || hours > 12) return all
    const day = (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
    return `${String(day).padStart(2, '0')}:${minute}${second}`
  })
}
