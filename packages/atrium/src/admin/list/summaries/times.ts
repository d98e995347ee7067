import { DateTime } from 'luxon'
import type { DatePart } from '#base/database/dialect'
import { presentZone } from '../../time/time_zone.js'

const FORMATS = { year: 'yyyy', month: 'yyyy-MM', day: 'yyyy-MM-dd' }

/**
 * Returns the beginning of a group of times in the viewer's time zone.
 *
 * @param text  `2026`, `2026-11` or `2026-11-30`, as the unit says
 * @returns null for any other text
 */
export function begunAt(text: string, unit: DatePart): DateTime | null {
  const time = DateTime.fromFormat(text, FORMATS[unit], { zone: presentZone() })
  return time.isValid ? time.startOf('day') : null
}

/** Returns the text of `begunAt`. */
export function timeWritten(time: DateTime, unit: DatePart): string {
  return time.toFormat(FORMATS[unit])
}

/** Returns the label of a time: `2026`, `Nov 2026`, or the day as in cells. */
export function labelOfTime(time: DateTime, unit: DatePart): string {
  return unit === 'month' ? time.setLocale('en').toFormat('LLL yyyy') : timeWritten(time, unit)
}
