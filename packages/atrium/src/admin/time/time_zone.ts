import { AsyncLocalStorage } from 'node:async_hooks'
import { IANAZone } from 'luxon'

export const UTC = 'UTC'

/* Old names that the runtime lists for renamed places, with the new names, which it also accepts. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
}

/** Names of all time zones that the runtime knows, UTC first. */
export const TIME_ZONES: readonly string[] = [
  UTC,
  ...Intl.supportedValuesOf('timeZone')
    .filter((name) => name !== UTC)
    .map((name) => RENAMED[name] ?? name)
    .toSorted(),
]

const KNOWN: ReadonlySet<string> = new Set([...TIME_ZONES, ...Object.keys(RENAMED)])

/** Returns true for the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: unknown): name is string {
  return typeof name === 'string' && KNOWN.has(name)
}

/** Time zones by the first part of their names, such as `Europe`; zones without one come first. */
export const ZONES_BY_AREA: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  TIME_ZONES,
  (name) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')
)

/**
 * Returns the offset of a zone from UTC at a time, in milliseconds. Some offsets of the nineteenth century are not
 * whole minutes.
 *
 * @param moment  milliseconds since 1970
 */
export function offsetAt(zone: string, moment: number): number {
  return zone === UTC ? 0 : Math.round(IANAZone.create(zone).offset(moment) * 60) * 1000
}

/** Formats an offset, such as `UTC+5:30`. */
export function offsetLabel(offset: number): string {
  return offset === 0 ? UTC : `${UTC}${offset < 0 ? '-' : '+'}${duration(offset, false)}`
}

/**
 * Formats an offset according to ISO 8601, such as `+05:30`.
 *
 * @returns null for an offset with seconds, which ISO 8601 cannot express
 */
export function isoOffset(offset: number): string | null {
  return offset % 60_000 === 0 ? `${offset < 0 ? '-' : '+'}${duration(offset, true)}` : null
}

function duration(offset: number, isWhole: boolean): string {
  const all = Math.abs(offset) / 1000
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  if (parts[2] === 0) parts.pop()
  if (!isWhole && parts.length === 2 && parts[1] === 0) parts.pop()
  return parts
    .map((part, index) => (index === 0 && !isWhole ? part : String(part).padStart(2, '0')))
    .join(':')
}

const PRESENT = new AsyncLocalStorage<string>()

/** Runs a function, including asynchronous work, with a time zone in which times are displayed and parsed. */
export function inZone<Result>(zone: string, run: () => Result): Result {
  return PRESENT.run(zone, run)
}

/**
 * Returns the time zone of the page that is being rendered, or of the form that is being parsed; otherwise UTC, for
 * example in commands.
 */
export function presentZone(): string {
  return PRESENT.getStore() ?? UTC
}

/** A site with a time zone for users who have not chosen one */
export interface WithTimeZone {
  readonly timeZone: string
}
