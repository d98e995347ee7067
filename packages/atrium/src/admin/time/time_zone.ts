import { AsyncLocalStorage } from 'node:async_hooks'
import { IANAZone } from 'luxon'

export const UTC = 'UTC'

/* Names that the runtime lists as they were until places were renamed; it knows both. */
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

/**
 * Returns true for the name of a time zone, as in `Europe/Berlin`.
 */
export function isTimeZone(name: unknown): name is string {
  return typeof name === 'string' && KNOWN.has(name)
}

/**
 * Time zones by the first part of their names, as in `Europe`; those without one come first.
 */
export const ZONES_BY_AREA: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  TIME_ZONES,
  (name) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')
)

/**
 * Milliseconds by which the clocks of a zone are ahead of UTC at a moment. Some of the nineteenth century are
 * no whole minutes.
 *
 * @param moment  milliseconds since 1970
 */
export function offsetAt(zone: string, moment: number): number {
  return zone === UTC ? 0 : Math.round(IANAZone.create(zone).offset(moment) * 60) * 1000
}

/**
 * An offset in words, as in `UTC+5:30`.
 */
export function offsetLabel(offset: number): string {
  return offset === 0 ? UTC : `${UTC}${offset < 0 ? '-' : '+'}${duration(offset, false)}`
}

/**
 * An offset as ISO 8601 has it, as in `+05:30`.
 *
 * @returns null for one with seconds, which has no such form
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

/**
 * Runs a function for which times are shown and typed in a zone, with all that it awaits. [R12]
 */
export function inZone<Result>(zone: string, run: () => Result): Result {
  return PRESENT.run(zone, run)
}

/**
 * The time zone of the page that is made, or of the form that is read: UTC elsewhere, as in commands. [R12]
 */
export function presentZone(): string {
  return PRESENT.getStore() ?? UTC
}
