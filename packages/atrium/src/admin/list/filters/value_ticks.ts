import type { HttpContext } from '@adonisjs/core/http'
import { textOf } from '#base/values/numbers'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import { namedFilter } from '../list_filters.js'
import type { ListParameters } from '../list_parameters.js'
import { NO_TITLES } from '../title_search.js'
import { readFilters } from '#base/columns/filter'
import { textCondition } from '#base/columns/search_condition'
import { resultWithin } from '#base/database/time_limit'
import { labelOfValue, titlesOfValues } from './facet_values.js'
import { facetColumns } from './filter_bar.js'
import type { Requested } from './filter_form.js'
import { filterByValues, type FilterValue } from './value_filter.js'

/** Maximum number of values that are listed; others are found by the search */
const MOST_TICKS = 100

/* Maximum number of counted values whose labels are searched, if the database cannot search the column as text */
const MOST_SEARCHED = 1000

/* Timeout for counting, in milliseconds */
const TIMEOUT = 2000

/** A value that the form of a filter lists. */
export interface Tick {
  /** Null for empty cells */
  value: FilterValue
  label: string
  /** Number of records; null if it is not known */
  count: number | null
  isTicked: boolean
}

export interface Ticks {
  all: readonly Tick[]
  /** True if there are more values than those listed */
  isCut: boolean
}

interface Counted {
  values: ReadonlyArray<{ value: FilterValue; count: number }>
  kinds: number
}

/**
 * Returns the values of a column to tick: the ticked ones first, then the most frequent ones among the records that
 * match the other filters.
 *
 * @param others  the list without the column's filters
 * @param q       text that the labels contain; empty for all values
 */
export async function ticksOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  requested: Requested,
  others: ListParameters,
  q: string
): Promise<Ticks> {
  const { column, reference, search, choices, values, hasEmpty } = requested
  const isFacet = facetColumns(site, view).includes(column)
  const matches = search && q !== '' ? await search(q) : null
  const ticked = new Set<FilterValue>([...values, ...(hasEmpty ? [null] : [])])
  const among = matches && [...new Set([...ticked, ...matches.map(({ value }) => value)])]
  const counted = isFacet ? await countedIn(ctx, view, requested, others, q, among) : null
  const counts = new Map(counted?.values.map(({ value, count }) => [value, count]))
  const found = matches ?? (search && !counted ? await search('') : [])
  const known: FilterValue[] =
    found.length > 0 || matches
      ? found.map(({ value }) => value)
      : [...counts.keys(), ...(choices ?? [])]
  const listed = new Set<FilterValue>([
    ...ticked,
    ...known,
    ...(column.nullable && q === '' ? [null] : []),
  ])
  const labels = new Map(found.map(({ value, label }): [FilterValue, string] => [value, label]))
  const unknown = [...listed].filter((value) => value !== null && !labels.has(value))
  const titles = reference
    ? await titlesOfValues(
        ctx,
        site,
        view,
        column,
        unknown.map((value) => ({ value }))
      )
    : new Map<string, string>()
  const all = [...listed].map((value) => ({
    value,
    label: labels.get(value) ?? labelOfValue(site, view, column, value, titles),
    count: counted ? (counts.get(value) ?? (isWhole(counted) ? 0 : null)) : null,
    isTicked: ticked.has(value),
  }))
  const matching = reference ? all : all.filter((tick) => tick.isTicked || contains(tick.label, q))
  return {
    all: matching.slice(0, Math.max(MOST_TICKS, ticked.size)),
    isCut: matching.length > MOST_TICKS || found.length > MOST_TICKS / 2 || !isWhole(counted),
  }
}

function isWhole(counted: Counted | null): boolean {
  return counted === null || counted.values.length >= counted.kinds
}

function contains(label: string, q: string): boolean {
  return label.toLowerCase().includes(q.toLowerCase())
}

/**
 * Counts the values that can contain the text; null if that takes too long.
 *
 * @param among  the only values to count; null for all
 */
async function countedIn(
  ctx: HttpContext,
  view: ModelView,
  { column, reference, choices }: Requested,
  others: ListParameters,
  q: string,
  among: readonly FilterValue[] | null
): Promise<Counted | null> {
  const isText = column.kind === 'text' && !reference && !choices
  const condition = isText && q !== '' ? textCondition(column, q) : null
  if (among?.length === 0) return { values: [], kinds: 0 }
  const [filter] = among
    ? readFilters([filterByValues(column, among)], (name) => namedFilter(view, NO_TITLES, name))
    : []
  const conditions = [condition, filter?.condition].filter(
    (one) => one !== null && one !== undefined
  )
  const request = others.with({ fixed: [...others.fixed, ...conditions] })
  const isSearched = q !== '' && !condition && !reference
  let kinds = 0
  const options = {
    ...view.callOptions(ctx),
    most: isSearched ? MOST_SEARCHED : MOST_TICKS,
    counted: (all: number) => (kinds = all),
  }
  const counts = await resultWithin(TIMEOUT, () =>
    view.crud.countByValue(column.apiName, request.toRequest(), options)
  )
  const values = counts?.map(({ value, count }) => ({
    value: value === null ? null : textOf(value),
    count,
  }))
  return values ? { values, kinds } : null
}
