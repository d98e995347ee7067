import { DateTime } from 'luxon'
import type { Column } from '#base/columns/column'
import { readCondition, type Condition } from '#base/columns/condition'
import { splitFilterName, type FilterError, type NamedFilter } from '#base/columns/filter'
import { isOperator, type Operator } from '#base/columns/operators'
import type { RelatedFields } from '#crud/internals'
import type { ModelView } from '../views/model_view.js'
import { presentZone } from '../time/time_zone.js'
import { DEFAULT_ROWS, ROWS_MAX } from '../views/page_size.js'
import type { TitleSearches } from './title_search.js'
import { inUtc } from '#base/values/datetime'

/* First and last day of each period */
const PERIODS = {
  today: (today) => [today, today],
  yesterday: (today) => [today.minus({ days: 1 }), today.minus({ days: 1 })],
  last_7_days: (today) => [today.minus({ days: 6 }), today],
  last_30_days: (today) => [today.minus({ days: 29 }), today],
  /* Weeks begin on Monday. */
  this_week: (today) => [today.startOf('week'), today.endOf('week')],
  this_month: (today) => [today.startOf('month'), today.endOf('month')],
  last_month: (today) => {
    const month = today.startOf('month').minus({ months: 1 })
    return [month, month.endOf('month')]
  },
  this_year: (today) => [today.startOf('year'), today.endOf('year')],
  last_year: (today) => {
    const year = today.startOf('year').minus({ years: 1 })
    return [year, year.endOf('year')]
  },
} satisfies Record<string, (today: DateTime) => [DateTime, DateTime]>

export type Period = keyof typeof PERIODS

/** Names of periods that date filters accept */
export const PERIOD_NAMES = Object.keys(PERIODS) as Period[]

/** A period: its days, both inclusive, and its start and exclusive end as times. */
export interface Days {
  /** Such as `2026-01-31` */
  from: string
  to: string
  /** Such as `2026-01-31 00:00:00`, in UTC */
  begin: string
  end: string
}

/**
 * Returns the days of a named period, relative to a time.
 *
 * @param zone  time zone in which days begin and end, such as `Europe/Berlin`
 * @returns null if the name is unknown
 */
export function daysOf(word: string, now: Date = new Date(), zone: string = 'utc'): Days | null {
  if (!isPeriod(word)) return null
  const [from, to] = PERIODS[word](DateTime.fromJSDate(now, { zone }))
  const next = to.plus({ days: 1 })
  return {
    from: from.toFormat('yyyy-MM-dd'),
    to: to.toFormat('yyyy-MM-dd'),
    begin: inUtc(from.startOf('day')),
    end: inUtc(next.startOf('day')),
  }
}

/** Returns true if the text is the name of a period. */
export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text)
}

const TITLE = '__title'

/**
 * Returns the options with which the admin list parses its URL: all fields can be filtered, and invalid values count
 * as missing. Filters with errors are preserved, so that they can be shown.
 *
 * @param titles   title searches for references, by API name of the column
 * @param related  the fields of related records that the URL names
 */
export function adminListRules(view: ModelView, titles: TitleSearches, related?: RelatedFields) {
  return {
    related,
    named: (name: string) => namedFilter(view, titles, name),
    pagination: { limit: DEFAULT_ROWS, itemsPerPage: DEFAULT_ROWS, maximum: ROWS_MAX },
    invalid: () => {},
  }
}

/**
 * Resolves the name of a filter: a column of the responses with or without an operator, or a search by title of the
 * referenced records.
 *
 * @returns undefined for an unknown name; columns that the viewer cannot see are unknown
 */
export function namedFilter(
  view: ModelView,
  titles: TitleSearches,
  name: string
): NamedFilter | undefined {
  return byTitle(view, titles, name) ?? byValue(view, name)
}

function byTitle(view: ModelView, titles: TitleSearches, name: string): NamedFilter | undefined {
  const column = name.endsWith(TITLE) ? fieldOf(view, name.slice(0, -TITLE.length)) : undefined
  const search = column && titles.get(column.apiName)
  if (!search) return undefined
  const read = (text: string): Condition | FilterError => {
    const found = search(text) ?? ({ reason: 'value', value: { reason: 'title' } } as const)
    return found === 'many' ? { reason: 'titles' } : found
  }
  return { column, operator: 'title', read }
}

function byValue(view: ModelView, name: string): NamedFilter | undefined {
  const { column: apiName, operator } = splitFilterName(name)
  if (isOperator(operator)) {
    const column = fieldOf(view, apiName)
    if (column) return { column, operator, read: (text) => inDays(column, operator, text) }
  }
  const column = fieldOf(view, name)
  return column && { column, operator: 'eq' }
}

function fieldOf({ resource }: ModelView, apiName: string): Column | undefined {
  return resource.fields.find((column) => column.apiName === apiName)
}

/**
 * Returns the condition of a date or datetime in a period such as `last_7_days`, with days in the viewer's time zone;
 * null for any other filter.
 */
function inDays(column: Column, operator: Operator, text: string): Condition | null {
  const { kind } = column
  const days =
    operator === 'between' &&
    (kind === 'date' || kind === 'datetime') &&
    daysOf(text, new Date(), presentZone())
  if (!days) return null
  if (kind === 'date') return readCondition(column, 'between', [days.from, days.to])
  /* Half-open interval, as a time may have fractions of a second. */
  const conditions = [
    readCondition(column, 'gte', days.begin),
    readCondition(column, 'lt', days.end),
  ]
  return { type: 'and', conditions }
}
