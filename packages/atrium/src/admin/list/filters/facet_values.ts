import { writeList } from '#base/columns/condition'
import type { HttpContext } from '@adonisjs/core/http'
import { resultWithin } from '#base/database/time_limit'
import { MOST_CONDITIONS, readFilters, type ReadFilter } from '#base/columns/filter'
import { textOf } from '#base/values/numbers'
import type { Column } from '#base/columns/column'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { followed, referencesOf, titlesOf } from '../../relations/references.js'
import { cutText } from '../cell.js'
import { isInvisible } from '../../text/plain_text.js'
import { namedFilter } from '../list_filters.js'
import type { ListParameters } from '../list_parameters.js'
import { NO_TITLES } from '../title_search.js'
import { facetColumns, filterId, TARGET } from './filter_bar.js'
import { valueInWords } from './filter_words.js'
import { FIELDS, madeFor, type Requested } from './filter_form.js'
import { filterByValues, valuesOfFilter, type FilterValue } from './form_operators.js'
import { textCondition } from '#base/columns/search_condition'

/** Maximum number of values of a facet */
export const MOST_VALUES = 10

/* Timeout in milliseconds, so that counting does not delay the page or block the database for long. */
const TIMEOUT = 2000

/* Maximum length of a value with a link, as longer values would not fit into a URL. */
const LONGEST_VALUE = 500

/** A value of a facet. */
interface FacetValue {
  label: string
  count: number
  /** Null for empty cells */
  value: FilterValue
  isActive: boolean
  /**
   * URL of the list filtered by this value or, if it is active, without this filter; null if no filter can select the
   * value
   */
  url: string | null
}

/** The most frequent values of a column, among the records that match the filters of other columns. */
export interface Facet {
  name: string
  label: string
  values: FacetValue[]
  /** URL of the form to filter by another value; null if all values are shown */
  more: string | null
  /** Number of values that are not shown */
  others: number
  isActive: boolean
  /** Hidden fields of the form that filters by the ticked values */
  fields: ReadonlyArray<readonly [name: string, text: string]>
  /** Reason for missing values */
  failure: 'slow' | 'failed' | null
}

/**
 * Counts the values of a list's facets one after the other. Facets that are not counted before the timeout are
 * marked.
 *
 * @param timeout  in milliseconds
 * @throws Problem 403  if the policy refuses listing
 */
export async function facetsOf(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters,
  timeout: number = TIMEOUT
): Promise<Facet[]> {
  const { view } = parameters
  const end = Date.now() + timeout
  const facets: Facet[] = []
  for (const column of facetColumns(site, view)) {
    const others = parameters.withoutColumn(column)
    const fields = tickFields(others, column)
    const facet = { name: column.apiName, label: view.labelOf(column.apiName), fields }
    try {
      const left = end - Date.now()
      const counted =
        left > 0
          ? await resultWithin(left, () => valuesOf(ctx, site, view, column, parameters, others))
          : null
      const isActive = counted?.values.some((value) => value.isActive) ?? false
      facets.push(
        counted
          ? { ...facet, ...counted, isActive, failure: null }
          : { ...facet, values: [], more: null, others: 0, isActive, failure: 'slow' }
      )
    } catch (error) {
      if ((error as { status?: number }).status === 403) throw error
      ctx.logger.error({ err: error }, `${view.name}: ${column.apiName} could not be counted`)
      facets.push({
        ...facet,
        values: [],
        more: null,
        others: 0,
        isActive: false,
        failure: 'failed',
      })
    }
  }
  return facets
}

async function valuesOf(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  column: Column,
  parameters: ListParameters,
  others: ListParameters
): Promise<Pick<Facet, 'values' | 'more' | 'others'>> {
  let kinds = 0
  const counted = (all: number) => (kinds = all)
  const options = { ...view.callOptions(ctx), most: MOST_VALUES, counted }
  const counts = await view.crud.countByValue(column.apiName, others.toRequest(), options)
  const shown = counts ?? []
  const titles = await titlesOfValues(ctx, site, view, column, shown)
  const own = parameters.ofColumn(column).filter(({ isNegated }) => !isNegated)
  const active = new Set(own.flatMap((filter) => valuesOfFilter(filter) ?? []))
  const values = shown.map(({ value, count }) => {
    const text = value === null ? null : textOf(value)
    const isActive = active.has(text)
    return {
      label: labelOfValue(site, view, column, text, titles),
      count,
      value: text,
      isActive,
      url: isActive ? withoutValue(parameters, own, text) : withValue(view, others, column, text),
    }
  })
  const hidden = kinds - shown.length
  /*
   * URL of the form with all values. If the column has one filter by values, the form edits this filter, so that its
   * values are ticked.
   */
  const [only, ...rest] = parameters.ofColumn(column)
  const more =
    only && rest.length === 0 && active.size > 0
      ? parameters.urlBelow('/filter', { [TARGET.edited]: filterId(only) })
      : others.urlBelow('/filter', { [FIELDS.column]: column.apiName })
  return { values, more: hidden > 0 ? more : null, others: hidden }
}

/** Returns the fields with which the filter form replaces the column's filters by the ticked values. */
function tickFields(others: ListParameters, column: Column): Array<[string, string]> {
  return [
    ...new URLSearchParams(others.query),
    [FIELDS.column, column.apiName],
    [FIELDS.operator, 'in'],
    [FIELDS.made, madeFor(column, 'several')],
    [FIELDS.optional, '1'],
  ]
}

/** Returns the titles of the records that the values of a reference refer to, by value; none for other columns. */
export async function titlesOfValues(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  column: Column,
  counts: ReadonlyArray<{ value: unknown }>
): Promise<Map<string, string>> {
  const reference = referencesOf(site, view).find((one) => one.column.apiName === column.apiName)
  const seen = reference && (await followed(ctx, reference))
  if (!seen) return new Map()
  try {
    return await titlesOf(
      ctx,
      reference,
      counts.map(({ value }) => value)
    )
  } catch (error) {
    /* Users who are not allowed to list the referenced records see their keys instead, as in the list. */
    if ((error as { status?: number }).status === 403) return new Map()
    throw error
  }
}

/** Returns the label of a value; null is the empty value. */
export function labelOfValue(
  site: Site,
  view: ModelView,
  column: Column,
  text: string | null,
  titles: ReadonlyMap<string, string>
): string {
  if (text === null) return site.text('list.facets.empty')
  const title = titles.get(text)
  if (title !== undefined) return cutText(title)
  if (isInvisible(text)) return site.text('list.facets.blank')
  return valueInWords(site, view, column, text)
}

/** Returns the URL of the list after removing one value from the filters `own`; their other values stay. */
function withoutValue(parameters: ListParameters, own: readonly ReadFilter[], value: FilterValue) {
  const filters = parameters.filters.flatMap((filter) => {
    const values = own.includes(filter) ? valuesOfFilter(filter) : null
    if (!values?.includes(value)) return [filter]
    const left = values.filter((one) => one !== value)
    if (left.length === 0) return []
    if (filter.operator === 'in') return [{ ...filter, text: writeList(left as string[]) }]
    const [name, text] = filterByValues(filter.column!, left)
    return [{ ...filter, name, text }]
  })
  return parameters.with({ page: 1, filters }).url
}

/** Returns the URL of the list with a filter by one value; null if no filter can select it. */
export function withValue(
  view: ModelView,
  others: ListParameters,
  column: Column,
  text: FilterValue
): string | null {
  const [name, value] = filterByValues(column, [text])
  if (value.length > LONGEST_VALUE || others.filters.length >= MOST_CONDITIONS) return null
  const [filter] = readFilters([[name, value]], (one) => namedFilter(view, NO_TITLES, one))
  /* No link for a stored value that is invalid for the column's type. */
  return filter.error || filter.column !== column
    ? null
    : others.with({ page: 1, filters: [...others.filters, filter] }).url
}

/** Maximum number of values that are listed; others are found by the search */
const MOST_TICKS = 100

/* Maximum number of counted values whose labels are searched, if the database cannot search the column as text */
const MOST_SEARCHED = 1000

/** A value that the form of a filter lists. */
export interface Tick {
  /** Null for empty cells */
  value: FilterValue
  label: string
  /** Number of records; null if it is not known */
  count: number | null
  isTicked: boolean
}

interface Ticks {
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
