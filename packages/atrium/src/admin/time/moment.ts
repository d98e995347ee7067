import { Info, type DateTime } from 'luxon'
import { presentZone, offsetAt, offsetLabel } from './time_zone.js'

/**
 * A point in time.
 */
export interface Moment {
  text: string
  /** Exact value, with the offset from UTC */
  title: string
  /** Value of the `datetime` attribute */
  value: string
}

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?: ((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)(?:\.\d+)?)?$/
const MONTHS = Info.months('short', { locale: 'en' })

/**
 * A day, or a day and a time, as all pages show it: `5 Jan 2026, 03:04:05`. Known patterns are formatted directly, as
 * parsing takes longer than the rest of a cell.
 *
 * @param text  as in `2026-01-05 03:04:05`
 * @returns null for any other text, and for a day that does not exist
 */
export function writtenTime(text: string, { seconds = true } = {}): string | null {
  const [, year, month, day, time, second] = WRITTEN.exec(text) ?? []
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return null
  const date = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`
  return time ? `${date}, ${time}${seconds ? second : ''}` : date
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** In the present zone. [R12] */
export function momentOf(time: DateTime): Moment {
  const utc = time.toUTC()
  const wall = time.setZone(presentZone()).toFormat('yyyy-MM-dd HH:mm:ss')
  return {
    text: writtenTime(wall) ?? wall,
    title: `${wall} ${offsetLabel(offsetAt(presentZone(), time.toMillis()))}`,
    value: utc.toISO({ suppressMilliseconds: true }) ?? '',
  }
}
