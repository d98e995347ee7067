import { Info, type DateTime } from 'luxon'
import { readDateTime } from '#base/values/datetime'
import { UnreadableText } from '../text/unreadable_text.js'
import { presentZone, isoOffset, offsetAt, offsetLabel, UTC } from './time_zone.js'

const DAY = 24 * 60 * 60 * 1000
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length

/* A moment without an offset, in the forms that people and browsers write */
const WALL = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d)(:\d\d)?(\.\d{1,9})?)?$/i

/**
 * A moment of the API, in UTC, as the clocks of a zone show it: `2026-10-25T02:30:00`. One that would be read
 * as another moment, as clocks were put back, has its offset.
 *
 * @param moment  as in `2026-10-25 01:30:00`
 * @returns a text that `readLocal` makes the same moment of; any other text as it is
 */
export function localText(moment: string, zone: string = presentZone()): string {
  const utc = readDateTime(moment)
  if (utc === null) return moment
  const at = millis(utc)
  const offset = offsetAt(zone, at)
  const wall = textOf(at + offset)?.replace(' ', 'T')
  const exact = isoOffset(offset)
  if (!wall) return `${utc.replace(' ', 'T')}Z`
  if (momentsOf(at + offset, zone).join() === String(at)) return wall
  return exact ? wall + exact : `${utc.replace(' ', 'T')}Z`
}

/**
 * Reads a moment as it is typed in a zone: without an offset it is what clocks show there.
 *
 * @returns the moment of the API, in UTC, or null if the text is not a moment
 * @throws UnreadableText  for a time at which clocks were put forward, or that there is twice
 */
export function readLocal(text: string, zone: string = presentZone()): string | null {
  const utc = readDateTime(text)
  if (utc === null || zone === UTC || !WALL.test(text)) return utc
  const wall = millis(utc)
  const moments = momentsOf(wall, zone)
  if (moments.length === 0) throw skipped(wall, zone)
  if (moments.length > 1) throw twice(moments, zone)
  return textOf(moments[0])
}

/**
 * The same for a text whose form a schema of the model's own judges: it stays as it is typed but for the zone.
 *
 * @throws UnreadableText
 */
export function readInForm(text: string, zone: string = presentZone()): string {
  const [, , between, , seconds = ''] = WALL.exec(text) ?? []
  if (zone === UTC || between === undefined) return text
  const utc = readLocal(text, zone)
  if (utc === null) return text
  const [day, time] = utc.split(' ')
  const isWhole = seconds !== '' || !time.endsWith(':00')
  return `${day}${between}${isWhole ? time : time.slice(0, 5)}`
}

/**
 * Returns true if two texts of a form can mean the same moment.
 */
export function isSameMoment(one: string, other: string, zone: string = presentZone()): boolean {
  if (one === other) return true
  const moments = meanings(one, zone)
  return meanings(other, zone).some((moment) => moments.includes(moment))
}

/**
 * The one text of a moment, for all texts that mean it, in every zone. A text that means none, or two, stays as it is.
 */
export function normalMoment(text: string, zone: string = presentZone()): string {
  const [moment, other] = meanings(text, zone)
  return moment === undefined || other !== undefined ? text : new Date(moment).toISOString()
}

/**
 * Returns true for a text that a browser's input of a date and a time can hold: one without an offset that
 * names a single moment.
 */
export function fitsInput(text: string, zone: string = presentZone()): boolean {
  const utc = WALL.test(text) ? readDateTime(text) : null
  return utc !== null && momentsOf(millis(utc), zone).length < 2
}

/**
 * The zone for those who read or type a moment, as in `Europe/Berlin, UTC+2`.
 *
 * @param text  the moment as a form has it; of none, and of two, only the zone is known
 */
export function zoneLabel(text: string | undefined, zone: string = presentZone()): string {
  if (zone === UTC) return UTC
  const [moment, other] = text === undefined ? [] : meanings(text, zone)
  return moment === undefined || other !== undefined
    ? zone
    : `${zone}, ${offsetLabel(offsetAt(zone, moment))}`
}

/**
 * A moment as people read it: what the clocks show, with seconds, and how far they are from UTC.
 */
export interface ClockTime {
  /** As in `2026-10-25 02:30:00` */
  time: string
  /** As in `UTC+1` */
  offset: string
}

/**
 * @param moment  of the API, in UTC
 * @returns null for a text that is none, and beyond the calendar
 */
export function clockTime(moment: string, zone: string = presentZone()): ClockTime | null {
  const utc = readDateTime(moment)
  if (utc === null) return null
  const offset = offsetAt(zone, millis(utc))
  const time = textOf(millis(utc) + offset)
  return time === null ? null : { time, offset: offsetLabel(offset) }
}

/** The moments that a text of a form can mean, in milliseconds. */
function meanings(text: string, zone: string): number[] {
  const utc = readDateTime(text)
  if (utc === null) return []
  return WALL.test(text) ? momentsOf(millis(utc), zone) : [millis(utc)]
}

/**
 * The moments at which the clocks of a zone show a time: mostly one, none when they are put forward, two when
 * they are put back, the earlier first.
 *
 * @param wall  what they show, as if it was UTC
 */
function momentsOf(wall: number, zone: string): number[] {
  if (zone === UTC) return [wall]
  const offsets = new Set([offsetAt(zone, wall - DAY), offsetAt(zone, wall + DAY)])
  return [...offsets]
    .map((offset) => wall - offset)
    .filter((moment) => moment + offsetAt(zone, moment) === wall)
    .toSorted((one, other) => one - other)
}

function skipped(wall: number, zone: string): UnreadableText {
  const next = changeAfter(wall - DAY, wall + DAY, zone)
  return new UnreadableText(
    'skipped',
    `must be a time that exists in ${zone}: clocks are put forward then, and the next one is ${localText(textOf(next)!, zone)}`
  )
}

function twice(moments: readonly number[], zone: string): UnreadableText {
  const [first, second] = moments.map((moment) => localText(textOf(moment)!, zone))
  return new UnreadableText(
    'twice',
    `must say which it is, as clocks are put back then in ${zone}: the first is ${first}, the second ${second}`
  )
}

/** The moment between two at which the offset changes. */
function changeAfter(from: number, to: number, zone: string): number {
  const before = offsetAt(zone, from)
  let [low, high] = [from, to]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (offsetAt(zone, middle) === before) low = middle
    else high = middle
  }
  return high
}

function millis(utc: string): number {
  return Date.parse(`${utc.replace(' ', 'T')}Z`)
}

/** Null beyond the years 1 to 9999. */
function textOf(moment: number): string | null {
  const iso = new Date(moment).toISOString()
  const isYear = iso.length === ISO_LENGTH && !iso.startsWith('0000')
  return isYear ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : null
}

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
