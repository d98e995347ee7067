import { DateTime, IANAZone } from 'luxon'
import type { TimePart } from '#base/database/dialect'
import { fromUtc, inUtc } from '#base/values/datetime'

/* Clocks of all zones are whole quarters of an hour from UTC since 1972. */
const QUARTER = 15

/**
 * The moment at which a day begins in a zone, as a filter takes it.
 *
 * @param day  as in `2026-03-29`
 */
export function beginOfDay(day: string, zone: string): string {
  return inUtc(DateTime.fromISO(day, { zone }).startOf('day'))
}

/**
 * The part of a moment in UTC that tells on which day of a zone it is.
 */
export function partFor(zone: string): TimePart {
  if (zone.toLowerCase() === 'utc') return 'day'
  const offsets = [1, 7].map((month) =>
    IANAZone.create(zone).offset(Date.UTC(new Date().getUTCFullYear(), month))
  )
  return offsets.every((offset) => offset % 60 === 0) ? 'hour' : 'minute'
}

/**
 * Adds numbers by days, hours or minutes in UTC up to numbers by days of a zone.
 *
 * @param counts  by the beginning of `YYYY-MM-DD HH:MM`, as `partFor` says
 */
export function intoDays(
  counts: ReadonlyMap<string, number>,
  zone: string
): Array<{ day: string; count: number }> {
  const known = new Map<string, string>()
  const days = new Map<string, number>()
  for (const [begun, count] of counts) {
    const quarter = beginOfQuarter(begun)
    let day = known.get(quarter)
    if (day === undefined) known.set(quarter, (day = dayOf(quarter, zone)))
    days.set(day, (days.get(day) ?? 0) + count)
  }
  return [...days].map(([day, count]) => ({ day, count }))
}

/** Databases without a type for moments may have a `T` before the time. */
function beginOfQuarter(begun: string): string {
  const minutes = begun.slice(14)
  const begin = begun.slice(0, 13).replace('T', ' ')
  if (begun.length <= 10) return begun
  const quarter = Math.floor(Number(minutes) / QUARTER) * QUARTER
  return `${begin}:${String(quarter).padStart(2, '0')}:00`
}

function dayOf(moment: string, zone: string): string {
  return moment.length <= 10 ? moment : fromUtc(moment).setZone(zone).toFormat('yyyy-MM-dd')
}
