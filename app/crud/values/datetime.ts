import { DateTime } from 'luxon'

const DATETIME = 'yyyy-MM-dd HH:mm:ss'
const WIRE_FORM = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const PLAIN = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?$/
const WITH_OFFSET =
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i

/**
 * Reads what people and programs send as a moment: `YYYY-MM-DD HH:MM:SS` in UTC, ISO 8601 with an
 * offset (converted), without one (taken as UTC), or a date alone (its midnight). [A20]
 *
 * @returns `YYYY-MM-DD HH:MM:SS` in UTC, or null if the text is no moment
 */
export function readDateTime(text: string): string | null {
  if (!PLAIN.test(text) && !WITH_OFFSET.test(text)) return null
  const moment = DateTime.fromISO(text.replace(' ', 'T').toUpperCase(), { zone: 'utc' })
  return moment.isValid && moment.year >= 1 && moment.year <= 9999
    ? moment.toFormat(DATETIME)
    : null
}

/**
 * Reads a day, `YYYY-MM-DD`. A moment is not a day: which one it would be depends on the place.
 */
export function readDate(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null
  const day = DateTime.fromISO(text, { zone: 'utc' })
  return day.isValid && day.year >= 1 ? text : null
}

/**
 * Reads a time of day, `HH:MM` or `HH:MM:SS`.
 */
export function readTime(text: string): string | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text)
  return match ? `${match[1]}:${match[2]}:${match[3] ?? '00'}` : null
}

/**
 * The wire's form of whatever a driver or a model holds as a moment: text, a `Date`, luxon's
 * `DateTime`, or milliseconds.
 */
export function writeDateTime(value: unknown): unknown {
  if (typeof value === 'string') {
    return WIRE_FORM.test(value) ? value : (readDateTime(value) ?? value)
  }
  const moment = toMoment(value)
  return moment ? moment.toUTC().toFormat(DATETIME) : value
}

/**
 * The wire's form of a day.
 */
export function writeDate(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 10 ? value.slice(0, 10) : value
  const moment = toMoment(value)
  return moment ? moment.toFormat('yyyy-MM-dd') : value
}

function toMoment(value: unknown): DateTime | null {
  if (DateTime.isDateTime(value)) return value
  if (value instanceof Date) return DateTime.fromJSDate(value, { zone: 'utc' })
  if (typeof value === 'number') return DateTime.fromMillis(value, { zone: 'utc' })
  return null
}
