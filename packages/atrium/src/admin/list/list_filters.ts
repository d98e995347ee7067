import { DateTime } from 'luxon'
import { operatorsOf, type Operator } from '#base/columns/operators'
import { parseFilterName } from '#base/columns/filter_name'
import { readCondition, type Condition } from '#base/columns/condition'
import { UnreadableFilter, type FilterValueFault } from '#base/errors'
import type { Column } from '#base/columns/column'
import { ValueError } from '#crud'
import type { ModelView } from '../model_view.js'
import { presentZone } from '../time/time_zone.js'
import type { TitleSearch, TitleSearches } from './title_search.js'

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
    begin: moment(from.startOf('day')),
    end: moment(next.startOf('day')),
  }
}

function moment(at: DateTime): string {
  return at.toUTC().toFormat('yyyy-MM-dd HH:mm:ss')
}

/**
 * Returns true if the text is a word for a period.
 */
export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text)
}

/* Longer than any list that is made by hand; each is tested on every row. */
export const MOST_FILTERS = 50

export const PREFIX = 'filter.'
const TITLE = '__title'

/**
 * The reason why a filter filters nothing: its name is none, its operator or value does not fit the column, too
 * many referenced records have the title, or there are too many filters.
 */
export type FilterFault =
  | { reason: 'unknown' | 'titles' | 'number' }
  | { reason: 'operator'; operators: readonly Operator[] }
  | { reason: 'value'; value: FilterValueFault | { reason: 'title' } }

/**
 * A filter of a list's address, `filter.NAME=TEXT`: either a condition or an error. [L1]
 */
export interface ListFilter {
  /** As in the address, as in `worldwide_gross__gte` */
  readonly name: string
  /** The value, as in the address */
  readonly text: string
  /** Null for a name that is none */
  readonly column: Column | null
  /** `title`: finds references by the title of what they refer to */
  readonly operator: Operator | 'title' | null
  readonly condition: Condition | null
  readonly fault: FilterFault | null
}

/**
 * Name of a filter's parameter in the address of a list.
 */
export function filterParameter({ name }: { name: string }): string {
  return PREFIX + name
}

/**
 * Reads the filters of a list's address. An empty value is a filter for `exact` only, as in the API.
 *
 * @param titles  how to find references by title, by API name of their column
 */
export function readFilters(
  view: ModelView,
  parameters: Iterable<[name: string, text: string]>,
  titles: TitleSearches
): ListFilter[] {
  const filters: ListFilter[] = []
  for (const [parameter, text] of parameters) {
    if (!parameter.startsWith(PREFIX)) continue
    const name = parameter.slice(PREFIX.length)
    if (text === '' && readName(view, name)?.operator !== 'exact') continue
    filters.push(
      filters.length < MOST_FILTERS
        ? readFilter(view, name, text, titles)
        : faulty(name, text, { reason: 'number' })
    )
  }
  return filters
}

/**
 * The column whose references the filter finds by title, if its name says so.
 */
export function titledColumn(view: ModelView, parameter: string): Column | undefined {
  if (!parameter.startsWith(PREFIX) || !parameter.endsWith(TITLE)) return undefined
  return fieldOf(view, parameter.slice(PREFIX.length, -TITLE.length))
}

function readFilter(
  view: ModelView,
  name: string,
  text: string,
  titles: TitleSearches
): ListFilter {
  const titled = titledColumn(view, PREFIX + name)
  const search = titled && titles.get(titled.apiName)
  if (search) return byTitle(name, text, titled, search)

  const named = readName(view, name)
  if (!named) return faulty(name, text, { reason: 'unknown' })
  const { column, operator } = named
  const operators = operatorsOf(column)
  if (!operators.includes(operator)) {
    return { ...faulty(name, text, { reason: 'operator', operators }), column, operator }
  }
  try {
    const condition = inDays(column, operator, text) ?? readCondition(column, operator, text)
    return { name, text, column, operator, condition, fault: null }
  } catch (error) {
    if (!(error instanceof UnreadableFilter)) throw error
    const fault = { reason: 'value', value: error.fault } as const
    return { ...faulty(name, text, fault), column, operator }
  }
}

function faulty(name: string, text: string, fault: FilterFault): ListFilter {
  return { name, text, column: null, operator: null, condition: null, fault }
}

function byTitle(name: string, text: string, column: Column, search: TitleSearch): ListFilter {
  const found = search(text)
  const operator = 'title' as const
  if (found === 'many') return { ...faulty(name, text, { reason: 'titles' }), column, operator }
  if (!found) {
    const fault = { reason: 'value', value: { reason: 'title' } } as const
    return { ...faulty(name, text, fault), column, operator }
  }
  return { name, text, column, operator, condition: found, fault: null }
}

/**
 * Name of the filter by one value of a column, whose own name may look like that of another column with an operator.
 */
export function equalName({ apiName }: Column): string {
  return apiName.includes('__') ? `${apiName}__eq` : apiName
}

/**
 * Names are the API's. One that is not a column with an operator may be that of a column, or be reserved there.
 *
 * @returns null for a name that is none; columns that the viewer may not see have none
 */
function readName(view: ModelView, name: string): { column: Column; operator: Operator } | null {
  const named = withOperator(view, name)
  if (named) return named
  const column = fieldOf(view, name)
  return column ? { column, operator: 'eq' } : null
}

function withOperator(view: ModelView, name: string) {
  try {
    const { column: apiName, operator } = parseFilterName(name)
    const column = fieldOf(view, apiName)
    return column ? { column, operator } : null
  } catch (error) {
    if (error instanceof ValueError) return null
    throw error
  }
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
