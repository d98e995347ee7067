import { writeNumeral, readNumber, ungrouped } from '#base/values/numbers'
import type { Column } from '#base/columns/column'
import { jsonOf } from '../text/json_text.js'
import { readLocal } from '../time/local_time.js'
import { UTC } from '../time/time_zone.js'
import { UnreadableText } from '../text/errors.js'
import { type DateOrder, isoDate, isoReadings } from './date_order.js'
import type { FileFormat, Cell } from './file_shape.js'

const DAY = 24 * 60 * 60 * 1000

/** Day 0 of the calendar of spreadsheets, in days since 1970 */
const EPOCH = -25_569

/** Days between the calendar of `EPOCH` and the calendar that begins in 1904 */
const TO_1904 = 1462

/** Serial number of 29 February 1900, which the calendar contains although there was no such day */
const LEAP_DAY = 60

/**
 * Converts a serial number of a spreadsheet to a time in whole seconds, such as `2026-01-31 10:00:00`.
 *
 * @returns null beyond the calendar
 */
export function serialMoment(serial: number, isFrom1904: boolean): string | null {
  const days = isFrom1904 ? serial + TO_1904 : serial < LEAP_DAY ? serial + 1 : serial
  const moment = new Date(Math.round(((days + EPOCH) * DAY) / 1000) * 1000)
  const isThere = serial >= 0 && !Number.isNaN(moment.getTime()) && moment.getUTCFullYear() <= 9999
  return isThere ? moment.toISOString().slice(0, 19).replace('T', ' ') : null
}

/* Five digits are days of the years 1927 to 2173; shorter numbers are more likely to be years. */
const SERIAL = /^\d{5}(?:\.\d+)?$/

/**
 * Converts a serial number in a cell without a date format, such as `45382` or `45382.4375`.
 *
 * @returns only the date for a whole number; null for a text that is not a serial number
 */
function serialText(text: string, isFrom1904: boolean): string | null {
  if (!SERIAL.test(text)) return null
  const moment = serialMoment(Number(text), isFrom1904)
  return text.includes('.') ? moment : (moment?.slice(0, 10) ?? null)
}

const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/* Numbers with a decimal comma: 1.234.567,8 and 12,5 */
const WITH_COMMA = /^([+-]?)(\d+|\d{1,3}(?:[.'’\s]\d{3})+),(\d+)$/

/* Whole numbers with several groups after points: 1.234.567; a single group, as in 1.234, is a decimal number. */
const WITH_POINTS = /^[+-]?\d{1,3}(?:\.\d{3}){2,}$/

/*
 * Maximum length; for longer texts, some of these expressions would take minutes, and no column has so many digits.
 */
const LONGEST = 1000

/* 1,234 can be an integer or a decimal number. */
const AMBIGUOUS = /^[+-]?\d{1,3},\d{3}$/

/**
 * Converts a number in a common notation to a plain numeral, such as `-1234.5`: with thousands separators, a decimal
 * comma, a plus sign, an exponent, leading or trailing zeros. A text that is ambiguous, not a number, or longer than a
 * thousand characters is unchanged. All significant digits are preserved.
 */
export function numeralOf(text: string): string {
  if (text.length > LONGEST) return text
  if (PLAIN.test(text) || AMBIGUOUS.test(text)) return withoutZeros(text)
  const [all, sign, whole, decimals] = WITH_COMMA.exec(text) ?? []
  if (all !== undefined) return withoutZeros(`${sign}${whole.replaceAll(/\D/g, '')}.${decimals}`)
  if (WITH_POINTS.test(text)) return withoutZeros(text.replaceAll('.', ''))
  const numeral = ungrouped(text)
  return FLOAT.test(numeral) ? withoutZeros(numeral) : text
}

/** Removes redundant zeros: `5` for `5.0` and `007`; `-1.25` for `-01.25` and `-125e-2`. */
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

export interface ValueOptions {
  /**
   * Format of the file: in NDJSON and JSON a string in a JSON column is a JSON string; in other formats it is parsed as
   * JSON. Default: `csv`
   */
  format?: FileFormat
  /** Order of day and month in ambiguous dates; by default only unambiguous dates are accepted */
  dateOrder?: DateOrder
  /** True if serial numbers of days count from 1904 */
  isFrom1904?: boolean
  /** Time zone of datetimes without an offset; default: UTC, as in exports */
  zone?: string
}

/** Words for true and false, ignoring case; German spreadsheets write the last two. */
const TRUE = /^(?:true|yes|1|ja|wahr)$/i
const FALSE = /^(?:false|no|0|nein|falsch)$/i

/**
 * Converts a file's cell to a value for the body of a create or an update. A text that cannot be converted is passed on
 * unchanged, so that validation reports the error.
 *
 * @param column  undefined for a field without a column
 * @param cell    cell of a row of `readRows`
 * @throws UnreadableText  for a text that validation would misinterpret: invalid JSON, a date that could be two days,
 *   or a time that is ambiguous or does not exist in the time zone
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
  /* Only texts distinguish between empty and null. */
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

/** Returns the value for a text column. A title such as 1917 is a number in JSON, and becomes a text here. */
function textOf(cell: Cell, isWord: boolean): unknown {
  return typeof cell === 'number' || (isWord && typeof cell === 'boolean') ? String(cell) : cell
}

function jsonValue(text: string): unknown {
  return text === '' ? null : jsonOf(text)
}

/**
 * Converts an integer; beyond 2^53 to its digits as text. Beyond 2^53, a text with an exponent is unchanged, and
 * validation rejects it: spreadsheets convert long integers to that format, which loses the last digits.
 */
function integerOf(text: string): unknown {
  const value = numberOf(text)
  if (typeof value !== 'number' || !isRounding(value)) return value
  return /e/i.test(text) ? text : withDigits(value)
}

/**
 * Returns an integer beyond 2^53 as a text of its digits, because columns accept it only as text; other numbers are
 * unchanged.
 */
function withDigits(number: number): number | string {
  const digits = String(number)
  return isRounding(number) && !digits.includes('e') ? digits : number
}

/** Returns true for integers in the range where JavaScript cannot represent each integer. */
function isRounding(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number)
}

/**
 * Converts a numeral to a number. If it has more digits than a JavaScript number can represent, it stays a text, which
 * columns accept.
 */
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
 * Converts a date in a text to ISO format, including a serial number of a spreadsheet. Other texts are unchanged.
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

/** Converts a text to a date. Removes midnight, as spreadsheets can store a date as a time at midnight. */
function dateOf(text: string, options: ValueOptions): string {
  return inIso(text, options).replace(/(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?$/, '')
}

const CLOCK = /(?<=^|[T ])(\d{1,2}):(\d\d)(:\d\d)?(?:\s?([ap])\.?m\.?)?(?=$|[.Z+-])/i

function momentOf(text: string, options: ValueOptions): string {
  const iso = timeOf(inIso(text, options)).replace(/ (?:GMT|UTC)$/, 'Z')
  return readLocal(iso, options.zone ?? UTC) ?? iso
}

/** Converts a time of day to two digits for the hour and to 24 hours. */
function timeOf(text: string): string {
  return text.replace(CLOCK, (all, hour: string, minute: string, second = '', half = '') => {
    if (half === '') return `${hour.padStart(2, '0')}:${minute}${second}`
    const hours = Number(hour)
    if (hours < 1 || hours > 12) return all
    const day = (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
    return `${String(day).padStart(2, '0')}:${minute}${second}`
  })
}
