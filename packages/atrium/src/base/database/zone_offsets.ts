import { IANAZone } from 'luxon'
import { ValueError } from '../errors.js'
import type { Column } from '../columns/column.js'

/* Years whose changes of offset are known; times outside them have the offset of the first or the last one. */
const YEARS = [1900, 2100]

const MINUTE = 60_000
/* Zones change their offsets at least two weeks apart. */
const STEP = 14 * 24 * 60 * MINUTE

/** The offset of a zone from UTC since a time. */
interface ZoneOffset {
  /** Milliseconds since 1970 */
  since: number
  seconds: number
}

const KNOWN = new Map<string, readonly ZoneOffset[]>()

/**
 * Returns the expression for the local time of a datetime in UTC. The offset is a tree of comparisons, because not every
 * database knows time zones.
 *
 * @param moment    the expression for the datetime; dates are returned unchanged
 * @param zone      default: UTC
 * @param offsetOf  returns the expression for an offset in seconds
 * @param plus      returns the expression for a datetime plus an offset
 * @throws ValueError  for an unknown zone
 */
export function localTimeSql(
  moment: string,
  { kind }: Pick<Column, 'kind'>,
  zone: string | undefined,
  offsetOf: (seconds: number) => string,
  plus: (moment: string, offset: string) => string
): string {
  if (kind !== 'datetime' || zone === undefined || zone.toLowerCase() === 'utc') return moment
  const offsets = offsetsOf(zone)
  const between = (from: number, to: number): string => {
    if (to - from === 1) return offsetOf(offsets[from].seconds)
    const middle = (from + to) >> 1
    const since = new Date(offsets[middle].since).toISOString().slice(0, 19).replace('T', ' ')
    return `case when ${moment} < '${since}' then ${between(from, middle)} else ${between(middle, to)} end`
  }
  return plus(moment, between(0, offsets.length))
}

/** Returns the offsets of a zone in the order of time. */
function offsetsOf(name: string): readonly ZoneOffset[] {
  let offsets = KNOWN.get(name)
  if (offsets) return offsets
  const zone = IANAZone.create(name)
  if (!zone.isValid) throw new ValueError(`Invalid time zone '${name}'`)
  KNOWN.set(name, (offsets = computedOffsets((time) => Math.round(zone.offset(time) * 60))))
  return offsets
}

function computedOffsets(secondsAt: (time: number) => number): ZoneOffset[] {
  const [first, last] = YEARS.map((year) => Date.UTC(year))
  const offsets = [{ since: first, seconds: secondsAt(first) }]
  for (let time = first; time < last; time += STEP) {
    const seconds = secondsAt(time + STEP)
    if (seconds === offsets.at(-1)!.seconds) continue
    offsets.push({ since: changeBetween(time, time + STEP, secondsAt), seconds })
  }
  return offsets
}

/** Returns the minute in which the offset changes. */
function changeBetween(from: number, to: number, secondsAt: (time: number) => number): number {
  const before = secondsAt(from)
  let [low, high] = [from / MINUTE, to / MINUTE]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (secondsAt(middle * MINUTE) === before) low = middle
    else high = middle
  }
  return high * MINUTE
}
