import { DateTime } from 'luxon'
import type { Column } from '#base/columns/column'
import { readCondition, type Condition } from '#base/columns/condition'
import { splitFilterName, type FilterError, type NamedFilter } from '#base/columns/filter'
import { isOperator, type Operator } from '#base/columns/operators'
import type { ModelView } from '../views/model_view.js'
import { presentZone } from '../time/time_zone.js'
import { DEFAULT_ROWS, ROWS_MAX } from '../views/page_size.js'
import type { TitleSearches } from './title_search.js'
import { inUtc } from '#base/values/datetime'

/* From the first day to the last, both included. */
const PERIODS = {
  today: (today) => [today, today],
  yesterday: (today) => [today.minus({ days: 1 }), today.minus({ days: 1 })],
  last_7_days: (today) => [today.minus({ days: 6 }), today],
  last_30_days: (today) => [today.minus({ days: 29 }), today],
  /* A week begins on Monday. */
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

/** The words for periods that a filter of dates takes. [L2] */
export const PERIOD_NAMES = Object.keys(PERIODS) as Period[]

/**
 * A period as days, both included, and as the moments at which it begins and the next one begins.
 */
export interface Days {
  /** As `2026-01-31` */
  from: string
  to: string
  /** As `2026-01-31 00:00:00`, in UTC */
  begin: string
  end: string
}

/**
 * The days that a word stands for at a moment. [L2]
 *
 * @param zone  time zone in which days begin and end, as in `Europe/Berlin`
 * @returns null if it is no such word
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

/**
 * Returns true if the text is a word for a period.
 */
export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text)
}

/* Longer than any list that is made by hand; each is tested on every row. */
export const MOST_FILTERS = 50

const TITLE = '__title'

/**
 * How the admin list reads the words of its address: any field can be filtered, and what is invalid counts as missing.
 * Filters with an error stay, to be named. [L1]
 *
 * @param titles  how to find references by title, by API name of their column
 */
export function listDoor(view: ModelView, titles: TitleSearches) {
  return {
    named: (name: string) => namedFilter(view, titles, name),
    mostFilters: MOST_FILTERS,
    pagination: { limit: DEFAULT_ROWS, itemsPerPage: DEFAULT_ROWS, maximum: ROWS_MAX },
    invalid: () => {},
  }
}

/**
 * What a filter's name means: that of a column of the responses with an operator, or as it is, or one for the titles
 * of its references.
 *
 * @returns undefined for a name that is none; columns that the viewer may not see have none
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

/** A date or a moment in a period like `last_7_days`, whose days are those of the present zone. [R12] */
function inDays(column: Column, operator: Operator, text: string): Condition | null {
  const { kind } = column
  const days =
    operator === 'between' &&
    (kind === 'date' || kind === 'datetime') &&
    daysOf(text, new Date(), presentZone())
  if (!days) return null
  if (kind === 'date') return readCondition(column, 'between', [days.from, days.to])
  /* A moment may have fractions of a second. */
  const conditions = [
    readCondition(column, 'gte', days.begin),
    readCondition(column, 'lt', days.end),
  ]
  return { type: 'and', conditions }
}
