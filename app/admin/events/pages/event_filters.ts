import { DateTime } from 'luxon'
import { isStorableText } from '#crud/values/text'
import { EventType } from '../event_type.js'

/** What can have happened [E2] */
export const EVENT_TYPES: readonly string[] = Object.values(EventType)

export const EVENT_STATUSES: readonly string[] = ['success', 'failure']

/* Longer than any user's or model's name */
const LONGEST_NAME = 255

const READERS = {
  event_type: (text: string) => oneOf(EVENT_TYPES, text.toUpperCase()),
  status: (text: string) => oneOf(EVENT_STATUSES, text.toLowerCase()),
  username: readName,
  resource_type: readName,
  start_date: readDay,
  end_date: readDay,
}

export type FilterName = keyof typeof READERS

const NAMES = Object.keys(READERS) as FilterName[]

/**
 * Which events are asked for. Nothing in an address is refused: what can't be is left out, and said to
 * be. [E5]
 */
export class EventFilters {
  private constructor(
    readonly values: Readonly<Partial<Record<FilterName, string>>>,
    readonly page: number,
    /** What was given and can't be looked for */
    readonly ignored: readonly FilterName[]
  ) {}

  /**
   * @param query  a query string, with or without its question mark
   */
  static read(query: string): EventFilters {
    const given = new URLSearchParams(query)
    const values: Partial<Record<FilterName, string>> = {}
    const ignored: FilterName[] = []
    for (const name of NAMES) {
      /* As with most readers of query strings, the last of several counts. */
      const text = (given.getAll(name).at(-1) ?? '').trim()
      if (text === '') continue
      const value = READERS[name](text)
      if (value === null) ignored.push(name)
      else values[name] = value
    }
    return new EventFilters(values, readPage(given.getAll('page').at(-1)), ignored)
  }

  get isEmpty(): boolean {
    return Object.keys(this.values).length === 0
  }

  /**
   * The same on another page.
   */
  at(page: number): EventFilters {
    return new EventFilters(this.values, page, this.ignored)
  }

  /**
   * What of the days is asked for, as the log has its times: from the first moment on, and up to but
   * without the second.
   */
  get period(): { from: string | null; before: string | null } {
    const { start_date: start, end_date: end } = this.values
    const next = end && DateTime.fromISO(end, { zone: 'utc' }).plus({ days: 1 }).toISODate()
    return { from: start ? `${start} 00:00:00` : null, before: next ? `${next} 00:00:00` : null }
  }

  /**
   * As a query string with its question mark; empty where nothing is asked for.
   */
  toString(): string {
    const query = new URLSearchParams(this.values as Record<string, string>)
    if (this.page > 1) query.set('page', String(this.page))
    return query.size > 0 ? `?${query}` : ''
  }
}

/**
 * The number of a page; one that is no integer is the first. [B15]
 */
export function readPage(text: string | null | undefined): number {
  if (!/^\s*[+-]?\d+\s*$/.test(text ?? '')) return 1
  return Math.min(Math.max(Number(text), 1), Number.MAX_SAFE_INTEGER)
}

function oneOf(values: readonly string[], text: string): string | null {
  return values.includes(text) ? text : null
}

function readName(text: string): string | null {
  return text.length <= LONGEST_NAME && isStorableText(text) ? text : null
}

/** The last day of all has no next one that the database would compare rightly. */
function readDay(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text === '9999-12-31') return null
  return DateTime.fromISO(text, { zone: 'utc' }).isValid ? text : null
}
