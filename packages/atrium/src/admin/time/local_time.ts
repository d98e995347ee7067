import { Info, type DateTime } from 'luxon'
import { readDateTime } from '#base/values/datetime'
import { UnreadableText } from '../text/errors.js'
import { presentZone, isoOffset, offsetAt, offsetLabel, UTC } from './time_zone.js'

const DAY = 24 * 60 * 60 * 1000
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length

/* Formats of a date and time without an offset, as users and browsers write it */
const WALL = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d)(:\d\d)?(\.\d{1,9})?)?$/i

/**
 * Converts a UTC time of the API to the local time in a zone: `2026-10-25T02:30:00`. A time that occurs twice because
 * clocks were put back gets an offset where it would be ambiguous.
 *
 * @param moment  for example `2026-10-25 01:30:00`
 * @returns a text that `readLocal` converts back to the same time; any other text unchanged
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
 * Parses a time that was typed in a zone: without an offset it is local time.
 *
 * @returns the time for the API, in UTC, or null if the text is not a time
 * @throws UnreadableText  for a time that does not exist because clocks were put forward, or that occurs twice
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
 * Converts a typed time to UTC without changing the format, which a custom schema of the model validates.
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

/** Returns true if two texts of a form can mean the same time. */
export function isSameMoment(one: string, other: string, zone: string = presentZone()): boolean {
  if (one === other) return true
  const moments = meanings(one, zone)
  return meanings(other, zone).some((moment) => moments.includes(moment))
}

/**
 * Returns the same text for all texts that mean the same time, in every zone. A text that means no time, or two, is
 * unchanged.
 */
export function normalMoment(text: string, zone: string = presentZone()): string {
  const [moment, other] = meanings(text, zone)
  return moment === undefined || other !== undefined ? text : new Date(moment).toISOString()
}

/** Returns true for a text that a `datetime-local` input can contain: without an offset, and an unambiguous time. */
export function fitsInput(text: string, zone: string = presentZone()): boolean {
  const utc = WALL.test(text) ? readDateTime(text) : null
  return utc !== null && momentsOf(millis(utc), zone).length < 2
}

/**
 * Returns the label of the time zone next to a time, such as `Europe/Berlin, UTC+2`.
 *
 * @param text  the time as in a form; if it is missing or ambiguous, the label has no offset
 */
export function zoneLabel(text: string | undefined, zone: string = presentZone()): string {
  if (zone === UTC) return UTC
  const [moment, other] = text === undefined ? [] : meanings(text, zone)
  return moment === undefined || other !== undefined
    ? zone
    : `${zone}, ${offsetLabel(offsetAt(zone, moment))}`
}

/** A time for display: local time with seconds, and the offset from UTC. */
interface ClockTime {
  /** For example `2026-10-25 02:30:00` */
  time: string
  /** For example `UTC+1` */
  offset: string
}

/**
 * Returns a time of the API as local time with the offset.
 *
 * @param moment  time of the API, in UTC
 * @returns null for a text that is not a time, and for a time beyond the calendar
 */
export function clockTime(moment: string, zone: string = presentZone()): ClockTime | null {
  const utc = readDateTime(moment)
  if (utc === null) return null
  const offset = offsetAt(zone, millis(utc))
  const time = textOf(millis(utc) + offset)
  return time === null ? null : { time, offset: offsetLabel(offset) }
}

/** Returns the times that a text of a form can mean, in milliseconds. */
function meanings(text: string, zone: string): number[] {
  const utc = readDateTime(text)
  if (utc === null) return []
  return WALL.test(text) ? momentsOf(millis(utc), zone) : [millis(utc)]
}

/**
 * Returns the times at which the clocks of a zone show a local time: usually one, none when clocks are put forward, two
 * when they are put back, the earlier first.
 *
 * @param wall  local time, in milliseconds as if it were UTC
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

/** Returns the first time after `from` at which the offset differs, accurate to a second. It has to differ at `to`. */
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

/** Formats milliseconds as a time of the API; null beyond the years 1 to 9999. */
function textOf(moment: number): string | null {
  const iso = new Date(moment).toISOString()
  const isYear = iso.length === ISO_LENGTH && !iso.startsWith('0000')
  return isYear ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : null
}

/** A point in time, formatted for display. */
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
 * Formats a date, or a date and time, for display: `5 Jan 2026, 03:04:05`. Known formats are converted directly,
 * because parsing takes longer than the rest of a cell.
 *
 * @param text  for example `2026-01-05 03:04:05`
 * @returns null for any other text, and for a date that does not exist
 */
export function writtenTime(text: string, { seconds = true } = {}): string | null {
  const [, year, month, day, time, second] = WRITTEN.exec(text) ?? []
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return null
  const date = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`
  return time ? `${date}, ${time}${seconds ? second : ''}` : date
}

/**
 * Formats a period of days without the parts that both days share: `1 Jan – 29 Nov 2025`. Its spaces are no-break spaces,
 * so that it is not divided at the end of a line.
 */
export function writtenPeriod(from: DateTime, to: DateTime): string {
  const last = to.setLocale('en').toFormat('d LLL yyyy')
  const format = from.hasSame(to, 'month') ? 'd' : from.hasSame(to, 'year') ? 'd LLL' : 'd LLL yyyy'
  const first = from.setLocale('en').toFormat(format)
  const text = from.hasSame(to, 'day') ? last : `${first} – ${last}`
  return text.replaceAll(' ', '\u00a0')
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** Formats a time in the current time zone. */
export function momentOf(time: DateTime): Moment {
  const utc = time.toUTC()
  const wall = time.setZone(presentZone()).toFormat('yyyy-MM-dd HH:mm:ss')
  return {
    text: writtenTime(wall) ?? wall,
    title: `${wall} ${offsetLabel(offsetAt(presentZone(), time.toMillis()))}`,
    value: utc.toISO({ suppressMilliseconds: true }) ?? '',
  }
}
