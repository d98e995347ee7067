import { DateTime } from 'luxon'

const DATETIME = 'yyyy-MM-dd HH:mm:ss'
const API_DATETIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
/* Excludes years before 1000: JavaScript would convert those before 100 to years of the last century. */
const STORED_FORM = /^([1-9]\d{3})-(\d\d)-(\d\d) (\d\d):([0-5]\d):([0-5]\d)$/
const DAY_AND_TIME = /^\d{4}-\d\d-\d\d[T ]\d/
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length
const PLAIN = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?$/
const WITH_OFFSET =
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i

/**
 * Reads a datetime: `YYYY-MM-DD HH:MM:SS` in UTC, ISO 8601 with an offset (converted), without one (read as UTC), or a
 * date alone (read as midnight).
 *
 * @returns `YYYY-MM-DD HH:MM:SS` in UTC, or null if the text is not a datetime
 */
export function readDateTime(text: string): string | null {
  if (isApiDateTime(text)) return text
  if (!PLAIN.test(text) && !WITH_OFFSET.test(text)) return null
  const moment = DateTime.fromISO(text.replace(' ', 'T').toUpperCase(), { zone: 'utc' })
  return moment.isValid && moment.year >= 1 && moment.year <= 9999
    ? moment.toFormat(DATETIME)
    : null
}

/**
 * True for a valid datetime in the format of responses, which most callers send. Parsing it with Luxon takes ten times
 * as long.
 */
function isApiDateTime(text: string): boolean {
  const parts = STORED_FORM.exec(text)
  if (!parts) return false
  const [year, month, day, hour] = parts.slice(1).map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24
}

/** Reads a date, `YYYY-MM-DD`. A datetime is not accepted, because its date depends on the time zone. */
export function readDate(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return null
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : null
}

/** Reads a time of day, `HH:MM`, `HH:MM:SS` or with a fraction of a second. */
export function readTime(text: string): string | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,6})?))?$/.exec(text)
  return match ? `${match[1]}:${match[2]}:${match[3] ?? '00'}` : null
}

/**
 * Returns the API form of a datetime in any form of a driver or a model: text, a `Date`, Luxon's `DateTime`, or
 * milliseconds.
 */
export function writeDateTime(value: unknown): unknown {
  if (typeof value === 'string') {
    return API_DATETIME.test(value) ? value : (readDateTime(value) ?? value)
  }
  if (isInfinite(value)) return infinityOf(value)
  const moment = toMoment(value)
  return moment ? inUtc(moment) : value
}

/**
 * Returns the API form of a date. The drivers of PostgreSQL and MySQL convert dates to a `Date` at midnight in the time
 * zone of the process, unless the connection is configured otherwise.
 */
export function writeDate(value: unknown): unknown {
  if (typeof value === 'string') return DAY_AND_TIME.test(value) ? value.slice(0, 10) : value
  if (isInfinite(value)) return infinityOf(value)
  const moment = value instanceof Date ? DateTime.fromJSDate(value) : toMoment(value)
  return moment ? moment.toFormat('yyyy-MM-dd') : value
}

/**
 * Formats a datetime (default: now) as `YYYY-MM-DD HH:MM:SS` in UTC, as databases store it. Formatting with Luxon takes
 * ten times as long, and is used only for an invalid datetime or a year that does not have four digits.
 */
export function inUtc(moment: DateTime = DateTime.utc()): string {
  const iso = moment.isValid ? new Date(moment.toMillis()).toISOString() : ''
  return iso.length === ISO_LENGTH
    ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
    : moment.toUTC().toFormat(DATETIME)
}

/** Parses `YYYY-MM-DD HH:MM:SS` in UTC, or `YYYY-MM-DD` as midnight. Parsing with Luxon takes three times as long. */
export function fromUtc(text: string): DateTime {
  const iso = text.length > 10 ? `${text.replace(' ', 'T')}Z` : text
  return DateTime.fromMillis(Date.parse(iso), { zone: 'utc' })
}

/**
 * Returns a stored datetime in the form that Lucid converts fastest to Luxon's `DateTime`: a text is converted to a
 * `Date`, so that Lucid does not have to detect its format. Other values are left to Lucid.
 */
export function quickMoment(value: unknown): unknown {
  const parts = typeof value === 'string' ? STORED_FORM.exec(value) : null
  if (!parts) return value
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number)
  const date = new Date(year, month - 1, day, hour, minute, second)
  /* Lucid reports a 30th of February as invalid, so such a text is not converted. */
  const isThere =
    date.getMonth() === month - 1 && date.getDate() === day && date.getHours() === hour
  return isThere ? date : value
}

/** Value that PostgreSQL's driver returns for `infinity` */
function isInfinite(value: unknown): value is number {
  return value === Infinity || value === -Infinity
}

function infinityOf(value: number): string {
  return value > 0 ? 'infinity' : '-infinity'
}

function toMoment(value: unknown): DateTime | null {
  if (DateTime.isDateTime(value)) return value
  if (value instanceof Date) return DateTime.fromJSDate(value, { zone: 'utc' })
  if (typeof value === 'number') return DateTime.fromMillis(value, { zone: 'utc' })
  return null
}
