import type { DateTime } from 'luxon'
import { presentZone } from './present_zone.js'
import { offsetAt, offsetLabel } from './time_zone.js'

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

/** In the present zone. [R12] */
export function momentOf(time: DateTime): Moment {
  const utc = time.toUTC()
  const local = time.setZone(presentZone())
  return {
    text: local.setLocale('en').toFormat('d LLL yyyy, HH:mm:ss'),
    title: `${local.toFormat('yyyy-MM-dd HH:mm:ss')} ${offsetLabel(offsetAt(presentZone(), time.toMillis()))}`,
    value: utc.toISO({ suppressMilliseconds: true }) ?? '',
  }
}
