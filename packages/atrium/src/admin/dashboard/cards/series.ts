import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import pLimit from 'p-limit'
import { totalOf } from '#base/values/decimal_sum'
import type { Column } from '#base/columns/column'
import { groupKeysOf } from '#crud/internals'
import { textOf, groupedNumber } from '#base/values/numbers'
import { filteredUrl } from '../../list/list_address.js'
import type { ListParameters } from '../../list/list_parameters.js'
import { valueInWords } from '../../list/filters/filter_words.js'
import { referencesOf, titlesIfReadable } from '../../relations/references.js'
import { isInvisible } from '../../text/plain_text.js'
import { presentZone } from '../../time/time_zone.js'
import type { ChartCard, CardSelect, NumberCard } from '../../views/admin_card.js'
import { choiceOf } from '../../views/choice_options.js'
import { listOfCard, UnreadCard, type CardSite } from './card_list.js'
import { inPeriod, periodOf, type Period } from './period.js'
import { widgetShow } from '../../forms/fields/widgets/widget_cells.js'
import { cellsOf } from '../../list/cell.js'
import { canAggregate } from '../../list/summaries/list_summary.js'
import { readSummaries, shortened, type Summary } from '../../list/summaries/summaries.js'
import { withUnits } from '../../list/table_columns.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'

type Value = string | number

/** A position on the axis of a chart: a value of a column, or a range of days. */
interface Bucket {
  label: string
  /** Colour of the value's badge; undefined without one */
  color?: string
  /** URL of the list of the records; null if there is none */
  url: string | null
}

/** The numbers of a chart. */
interface ChartData {
  parameters: ListParameters
  summary: Summary | null
  /** True for an axis of days, weeks, months or years */
  isTime: boolean
  buckets: Bucket[]
  /** Series with one value per bucket; the label is empty for a chart without a second column */
  series: Array<{ label: string; color?: string; values: Value[] }>
}

type Series = Pick<ChartData, 'isTime' | 'buckets' | 'series'>

/* Maximum number of values of a column; the others are summed up. */
const MOST_VALUES = 10
/* Maximum number of colours of a stacked chart */
const MOST_SERIES = 6
/* Maximum number of groups of one query */
const MOST_GROUPS = 1000
/* Maximum number of days, weeks, months or years of a chart, and of concurrent queries for them */
const MOST_PARTS = 200
const AT_ONCE = 4
/* Days of a time axis without a period in the query */
const USUAL_DAYS = 30
const DATES = new Set(['date', 'datetime'])
const UTC = { zone: 'utc' }

type Unit = 'day' | 'week' | 'month' | 'year'

/** Thrown if a chart has more groups than it can show. */
export class TooManyGroups extends Error {}

/** Reads the numbers of a chart, with the permissions of the signed-in user. */
export async function chartData(
  ctx: HttpContext,
  site: CardSite,
  card: ChartCard
): Promise<ChartData> {
  const { parameters, summary } = await aggregatedList(ctx, site, card)
  const { resource } = parameters.view
  const [axis, second] = [card.groupBy].flat().map((name) => {
    const key = groupKeysOf(resource).find((one) => one.name === name && !one.part)
    if (!key) throw new UnreadCard(card, [name])
    return key.column
  })
  const data = DATES.has(axis.kind)
    ? await overTime(ctx, site, card, parameters, axis, second)
    : await byValues(ctx, site, card, parameters, axis, second)
  return { ...data, parameters, summary }
}

/**
 * Returns the list of a card, and the figure that the card makes of its records; null for their number.
 *
 * @throws UnreadCard  if the list or the column is unknown to the user, or the records can't be aggregated
 */
export async function aggregatedList(
  ctx: HttpContext,
  site: CardSite,
  card: ChartCard | NumberCard
): Promise<{ parameters: ListParameters; summary: Summary | null }> {
  const parameters = await listOfCard(ctx, site, card)
  const { view } = parameters
  if (!canAggregate(view)) throw new UnreadCard(card, [])
  if (card.select === 'count') return { parameters, summary: null }
  const [of, name] = splitSelect(card.select)
  const [summary] = readSummaries(view, `${name}:${of}`)
  if (!summary) throw new UnreadCard(card, [card.select])
  return { parameters, summary }
}

/** Splits a text such as `sum:us_gross`. */
function splitSelect(select: string): [of: string, name: string] {
  const at = select.indexOf(':')
  return [select.slice(0, at), select.slice(at + 1)]
}

async function byValues(
  ctx: HttpContext,
  site: CardSite,
  { select }: ChartCard,
  parameters: ListParameters,
  axis: Column,
  second: Column | undefined
): Promise<Series> {
  const rows = await allGroups(ctx, parameters, [axis.apiName, second?.apiName], select)
  const known = distinct(rows.map((row) => row[axis.apiName]))
  const totals = new Map(
    known.map((value) => [
      value,
      sum(
        rows.filter((row) => row[axis.apiName] === value),
        select
      ),
    ])
  )
  const sorted = known.toSorted((one, other) => Number(totals.get(other)) - Number(totals.get(one)))
  const [first, rest] = [sorted.slice(0, MOST_VALUES), sorted.slice(MOST_VALUES)]
  const sets = [...first.map((value) => [value]), ...(rest.length > 0 ? [rest] : [])]
  const labels = await labelsOf(ctx, site, parameters, axis, first)
  const inSet = (set: unknown[]) => rows.filter((row) => set.includes(row[axis.apiName]))
  return {
    isTime: false,
    buckets: sets.map((set, at) => ({
      label: labels[at] ?? site.text('dashboard.cards.others', { count: rest.length }),
      color: at < first.length ? colorOf(parameters, axis, set[0]) : undefined,
      url: at < first.length ? urlOf(parameters, axis, set[0]) : null,
    })),
    series: await seriesOf(ctx, site, parameters, second, rows, (some) =>
      sets.map((set) =>
        sum(
          inSet(set).filter((row) => some(row)),
          select
        )
      )
    ),
  }
}

async function overTime(
  ctx: HttpContext,
  site: CardSite,
  card: ChartCard,
  parameters: ListParameters,
  axis: Column,
  second: Column | undefined
): Promise<Series> {
  const { select } = card
  const period =
    periodOf(parameters, presentZone(), axis)?.period ??
    (card.period === 'all' ? await wholePeriod(ctx, parameters, axis) : lastDays())
  if (!period) return { isTime: true, buckets: [], series: [] }
  const unit = unitOf(period)
  const parts = partsOf(period, unit)
  if (parts.length > MOST_PARTS) {
    throw new TooManyGroups(`${axis.apiName} has a period of ${parts.length} ${unit}s`)
  }
  const rows = await rowsOfParts(ctx, parameters, [axis, second], { select, parts, unit })
  const series = await seriesOf(ctx, site, parameters, second, rows.flat(), (some) =>
    rows.map((inPart) => sum(inPart.filter(some), select))
  )
  const buckets = parts.map((part) => ({ label: labelOfDays(part, unit), url: null }))
  return { isTime: true, buckets, series }
}

function lastDays(): Period {
  const to = DateTime.now().setZone(presentZone()).startOf('day')
  return { from: to.minus({ days: USUAL_DAYS - 1 }), to }
}

/** Returns the days from the first record of a list to the last; null without a record that has a date. */
async function wholePeriod(
  ctx: HttpContext,
  parameters: ListParameters,
  { apiName, kind }: Column
): Promise<Period | null> {
  const { view } = parameters
  const bounds = [`min:${apiName}`, `max:${apiName}`]
  const options = { ...view.callOptions(ctx), select: bounds }
  const [row] = await view.crud.aggregate(parameters.toRequest(), options)
  const [from, to] = bounds.map((name) => {
    const text = String(row[name])
    const moment = kind === 'date' ? DateTime.fromISO(text) : DateTime.fromSQL(text, UTC)
    return moment.setZone(presentZone(), { keepLocalTime: kind === 'date' }).startOf('day')
  })
  return from.isValid && to.isValid ? { from, to } : null
}

/**
 * Returns the groups of each part of a period. They are read with one query, by day, month or year; if they are too
 * many, with a query for each part.
 */
async function rowsOfParts(
  ctx: HttpContext,
  parameters: ListParameters,
  [axis, second]: [Column, Column | undefined],
  { parts, select, unit }: { parts: Period[]; select: CardSelect; unit: Unit }
): Promise<Row[][]> {
  const within = (part: Period) =>
    parameters.with({ fixed: [...parameters.fixed, inPeriod(axis, part)] })
  const all = within({ from: parts[0].from, to: parts.at(-1)!.to })
  const days = axis.kind === 'date' ? axis.apiName : `${axis.apiName}:day`
  const name = unit === 'month' || unit === 'year' ? `${axis.apiName}:${unit}` : days
  const rows = await groups(ctx, all, [name, second?.apiName], select)
  if (rows) {
    const byPart = Map.groupBy(rows, (row) => {
      const begin = String(row[name])
      return parts.findLastIndex(({ from }) => from.toISODate()!.slice(0, begin.length) <= begin)
    })
    return parts.map((_, at) => byPart.get(at) ?? [])
  }
  const takeTurns = pLimit(AT_ONCE)
  return await takeTurns.map(parts, (part) =>
    allGroups(ctx, within(part), [second?.apiName], select)
  )
}

type Row = Record<string, unknown>

/** Returns the sum or count of each group of values; null if not all groups can be read. */
async function groups(
  ctx: HttpContext,
  parameters: ListParameters,
  names: ReadonlyArray<string | undefined>,
  select: string
): Promise<Row[] | null> {
  const { view } = parameters
  const groupBy = names.filter((name) => name !== undefined)
  const zone = presentZone()
  const options = { ...view.callOptions(ctx), groupBy, zone, select, limit: MOST_GROUPS }
  const rows = await view.crud.aggregate(parameters.toRequest(), options)
  return rows.length < MOST_GROUPS ? rows : null
}

/**
 * Returns the groups of `groups`.
 *
 * @throws TooManyGroups  if not all groups can be read
 */
async function allGroups(...given: Parameters<typeof groups>): Promise<Row[]> {
  const rows = await groups(...given)
  if (rows) return rows
  const [, , names] = given
  throw new TooManyGroups(`${names.join(' and ')} have ${MOST_GROUPS} values or more`)
}

/**
 * Returns one series for each value of the chart's second column, or a single series without such a column.
 * @param valuesOf  returns the values per bucket of the rows that pass a test
 */
async function seriesOf(
  ctx: HttpContext,
  site: CardSite,
  parameters: ListParameters,
  second: Column | undefined,
  rows: readonly Row[],
  valuesOf: (some: (row: Row) => boolean) => Value[]
): Promise<ChartData['series']> {
  if (!second) return [{ label: '', values: valuesOf(() => true) }]
  const { apiName } = second
  const known = inOrderOfChoices(parameters, second, distinct(rows.map((row) => row[apiName])))
  const first = known.length > MOST_SERIES ? known.slice(0, MOST_SERIES - 1) : known
  const labels = await labelsOf(ctx, site, parameters, second, first)
  const series = first.map((value, at) => ({
    label: labels[at],
    color: colorOf(parameters, second, value),
    values: valuesOf((row) => row[apiName] === value),
  }))
  if (first.length === known.length) return series
  const label = site.text('dashboard.cards.others', { count: known.length - first.length })
  return [...series, { label, values: valuesOf((row) => !first.includes(row[apiName])) }]
}

function sum(rows: readonly Row[], select: string): Value {
  if (rows.length === 1) return valueIn(rows[0], select as 'count') ?? 0
  if (select === 'count') return rows.reduce((total, row) => total + Number(row.count), 0)
  return totalOf(rows.map((row) => ({ value: row[select], exponent: 0 }))) ?? 0
}

function colorOf({ view }: ListParameters, { apiName }: Column, value: unknown) {
  return choiceOf(view, apiName, value)?.color
}

/** Sorts the values of an enum as its options list them; the other values follow. */
function inOrderOfChoices(
  { view }: ListParameters,
  { apiName }: Column,
  values: unknown[]
): unknown[] {
  const names = Object.keys(view.fieldOptions(apiName).choices ?? {})
  const [listed, others] = [true, false].map((isListed) =>
    values.filter((value) => names.includes(String(value)) === isListed)
  )
  const positionOf = (value: unknown) => names.indexOf(String(value))
  return [...listed.toSorted((one, other) => positionOf(one) - positionOf(other)), ...others]
}

function distinct(values: readonly unknown[]): unknown[] {
  return [...new Set(values)]
}

async function labelsOf(
  ctx: HttpContext,
  site: CardSite,
  { view }: ListParameters,
  column: Column,
  values: readonly unknown[]
): Promise<string[]> {
  const reference = referencesOf(site, view).find((one) => one.column.apiName === column.apiName)
  const titles = reference ? await titlesIfReadable(ctx, view, reference, values) : new Map()
  return values.map((value) => {
    if (value === null || value === undefined) return site.text('list.facets.empty')
    const text = textOf(value)
    const label = titles.get(text) ?? valueInWords(site, view, column, text)
    return isInvisible(label) ? site.text('list.facets.blank') : label
  })
}

function urlOf({ view, query }: ListParameters, column: Column, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  const url = filteredUrl(view, [[column, textOf(value)]])
  return query === '' ? url : `${url}&${query}`
}

function unitOf({ from, to }: Period): Unit {
  const days = to.diff(from, 'days').days + 1
  if (days <= 45) return 'day'
  if (days <= 26 * 7) return 'week'
  return days <= 3 * 366 ? 'month' : 'year'
}

function partsOf({ from, to }: Period, unit: Unit): Period[] {
  const parts: Period[] = []
  let begin = from
  while (begin <= to) {
    const end = begin.endOf(unit).startOf('day')
    parts.push({ from: begin, to: DateTime.min(end, to) })
    begin = end.plus({ days: 1 })
  }
  return parts
}

function labelOfDays({ from }: Period, unit: Unit): string {
  const english = from.setLocale('en')
  if (unit === 'year') return english.toFormat('yyyy')
  return english.toFormat(unit === 'month' ? 'LLL yyyy' : 'd LLL')
}

/** Formats the values of a card as a list formats figures. */
export function shownValues(
  site: Pick<Site, 'text'>,
  view: ModelView,
  summary: Summary | null,
  values: ReadonlyArray<Value | null>
): string[] {
  if (!summary) return values.map((value) => groupedNumber(Number(value)))
  const { column, of } = summary
  const text = site.text.bind(site)
  const own = widgetShow(view, column, text)
  const figures = of === 'avg' ? values.map((value) => value && shortened(String(value))) : values
  const cells = cellsOf(column, figures, { isGrouped: true, text, own })
  return cells.map((cell) => (own ? cell : withUnits(view, column.apiName, cell)).text)
}

/** Returns the figure in a result of `aggregate`. The sum of no values is 0, other figures are null. */
export function valueIn(row: Record<string, unknown> | undefined, select: CardSelect) {
  const none = select === 'count' || select.startsWith('sum:') ? 0 : null
  return (row?.[select] ?? none) as Value | null
}
