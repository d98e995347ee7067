import { DateTime, IANAZone } from 'luxon'
import type { TimePart } from '#base/database/dialect'
import { fromUtc, inUtc } from '#base/values/datetime'

/* Minutes to which time zone offsets are rounded: since 1972, all offsets from UTC are multiples of 15 minutes. */
const QUARTER = 15
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Returns the start of a day in a time zone, in the format of filter values.
 *
 * @param day  date such as `2026-03-29`
 */
export function beginOfDay(day: string, zone: string): string {
  return inUtc(DateTime.fromISO(day, { zone }).startOf('day'))
}

/** Returns the smallest part of a UTC time that determines the day in a time zone. */
export function partFor(zone: string): TimePart {
  if (zone.toLowerCase() === 'utc') return 'day'
  const offsets = [1, 7].map((month) =>
    IANAZone.create(zone).offset(Date.UTC(new Date().getUTCFullYear(), month))
  )
  return offsets.every((offset) => offset % 60 === 0) ? 'hour' : 'minute'
}

/**
 * Sums counts per UTC day, hour or minute to counts per day of a time zone.
 *
 * @param counts  counts by start time, as `YYYY-MM-DD HH:MM`, in the unit that `partFor` returns
 */
export function intoDays(
  counts: ReadonlyMap<string, number>,
  zone: string
): Array<{ day: string; count: number }> {
  const offsetAt = offsetsOf(zone)
  const known = new Map<string, string>()
  const days = new Map<string, number>()
  for (const [begun, count] of counts) {
    const quarter = beginOfQuarter(begun)
    let day = known.get(quarter)
    if (day === undefined) known.set(quarter, (day = dayOf(quarter, offsetAt)))
    days.set(day, (days.get(day) ?? 0) + count)
  }
  return [...days].map(([day, count]) => ({ day, count }))
}

/** Rounds a time down to 15 minutes. Databases without a datetime type can have a `T` before the time. */
function beginOfQuarter(begun: string): string {
  const minutes = begun.slice(14)
  const begin = begun.slice(0, 13).replace('T', ' ')
  if (begun.length <= 10) return begun
  const quarter = Math.floor(Number(minutes) / QUARTER) * QUARTER
  return `${begin}:${String(quarter).padStart(2, '0')}:00`
}

function dayOf(moment: string, offsetAt: (time: number) => number): string {
  if (moment.length <= 10) return moment
  const time = fromUtc(moment).toMillis()
  const local = new Date(time + offsetAt(time) * MINUTE)
  return Number.isNaN(local.getTime()) ? moment.slice(0, 10) : local.toISOString().split('T')[0]
}

/**
 * Returns a function for the offset of a time zone from UTC, in minutes. The offset is calculated once per day, and for
 * each time only on the few days on which it changes.
 */
function offsetsOf(zone: string): (time: number) => number {
  const iana = IANAZone.create(zone)
  const begins = new Map<number, number>()
  const atBegin = (day: number) => {
    let offset = begins.get(day)
    if (offset === undefined) begins.set(day, (offset = iana.offset(day * DAY)))
    return offset
  }
  return (time) => {
    const day = Math.floor(time / DAY)
    const offset = atBegin(day)
    return offset === atBegin(day + 1) ? offset : iana.offset(time)
  }
}
