import { DateTime } from 'luxon'
import { inUtc } from '#base/values/datetime'
import { isStorableText } from '#base/values/text'
import { presentZone } from '../time/time_zone.js'
import { EventType } from '../events/event_integration.js'

/** All event types */
export const EVENT_TYPES: readonly string[] = Object.values(EventType)

export const EVENT_STATUSES: readonly string[] = ['success', 'failure']

/* Maximum length of a name in a filter; more than that of user names and model names */
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

/** Filters of the event log. Invalid query parameters are ignored, and the page reports them. */
export class EventFilters {
  private constructor(
    readonly values: Readonly<Partial<Record<FilterName, string>>>,
    readonly page: number,
    /** Names of the parameters whose values were invalid */
    readonly ignored: readonly FilterName[]
  ) {}

  /**
   * @param query  query string, with or without its question mark
   */
  static read(query: string): EventFilters {
    const given = new URLSearchParams(query)
    const values: Partial<Record<FilterName, string>> = {}
    const ignored: FilterName[] = []
    for (const name of NAMES) {
      /* The last of several values is used. */
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

  /** Returns the same filters for another page. */
  at(page: number): EventFilters {
    return new EventFilters(this.values, page, this.ignored)
  }

  /** The start and end day as log times, with days in the viewer's time zone: from inclusive, before exclusive. */
  get period(): { from: string | null; before: string | null } {
    const { start_date: start, end_date: end } = this.values
    const zone = presentZone()
    const begin = (day: string) => DateTime.fromISO(day, { zone }).startOf('day')
    return {
      from: start ? inUtc(begin(start)) : null,
      before: end ? inUtc(begin(end).plus({ days: 1 })) : null,
    }
  }

  /** Returns the query string with the question mark; empty without filters. */
  toString(): string {
    const query = new URLSearchParams(this.values as Record<string, string>)
    if (this.page > 1) query.set('page', String(this.page))
    return query.size > 0 ? `?${query}` : ''
  }
}

/** Parses a page number; an invalid one is the first page. */
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

/**
 * Returns the day, or null for an invalid one. The last day of the calendar is invalid, too, as databases do not
 * compare its next day correctly.
 */
function readDay(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text === '9999-12-31') return null
  return DateTime.fromISO(text, { zone: 'utc' }).isValid ? text : null
}

/** Events, or records of one event, per page */
export const ROWS = 25

/** A page number and its URL; `current` is true for the page that is shown */
export interface PageLink {
  page: number
  url: string
  current: boolean
}

/** Position in the pages, and links to other pages. */
export interface Pages {
  /** Numbers of the first and last row shown, from 1 */
  from: number
  to: number
  total: number
  previous: string | null
  next: string | null
  /** First, last and the pages around the current one; null for a gap */
  links: Array<PageLink | null>
}

/** Returns the number of the last page. */
export function lastPage(total: number): number {
  return Math.max(1, Math.ceil(total / ROWS))
}

/**
 * Returns the data of the links to other pages.
 *
 * @param current  number of the current page
 */
export function pagesOf(total: number, current: number, url: (page: number) => string): Pages {
  const last = lastPage(total)
  const near = [current - 1, current, current + 1].filter((page) => page > 1 && page < last)
  const links: Array<PageLink | null> = []
  let before = 0
  for (const page of new Set([1, ...near, last])) {
    if (page - before > 1) links.push(null)
    links.push({ page, url: url(page), current: page === current })
    before = page
  }
  return {
    from: Math.min((current - 1) * ROWS + 1, total),
    to: Math.min(current * ROWS, total),
    total,
    previous: current > 1 ? url(current - 1) : null,
    next: current < last ? url(current + 1) : null,
    links,
  }
}
