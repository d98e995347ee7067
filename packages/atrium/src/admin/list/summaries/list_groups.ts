import { Info, DateTime } from 'luxon'
import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import { filterName, readFilters } from '#base/columns/filter'
import { inUtc } from '#base/values/datetime'
import { textOf } from '#base/values/numbers'
import { barChart, formatDay } from '../../charts/bar_chart.js'
import type { Site } from '../../views/site.js'
import { choiceOf } from '../../views/choice_options.js'
import { inSentence } from '../../text/plain_text.js'
import { presentZone } from '../../time/time_zone.js'
import { cutText, type ShownCell } from '../cell.js'
import { labelOfValue, titlesOfValues, withValue } from '../filters/facet_values.js'
import { namedFilter } from '../list_filters.js'
import type { ListParameters } from '../list_parameters.js'
import { NO_TITLES } from '../title_search.js'
import { figureCell } from '../list_table.js'
import { aggregated, canAggregate, nameOf } from './list_summary.js'
import type { Summary } from './summaries.js'

/** Maximum number of groups on a page */
export const MOST_GROUPS = 200

/* Maximum number of bars of the chart, and of characters of a bar's label */
const MOST_BARS = 30
const LONGEST_BAR_LABEL = 14

interface Group {
  label: string
  /** Colour of the value's badge */
  color?: string
  count: number
  /** URL of the group's records; null if no filter can select the value */
  url: string | null
  cells: ShownCell[]
}

/** The values of a column, with their numbers of records and summaries. */
export interface ListGroups {
  label: string
  headings: string[]
  groups: Group[]
  /** Which groups are shown; null for all */
  cut: 'latest' | 'frequent' | null
  /** Bar chart as SVG; null for fewer than two groups */
  chart: string | null
  failure: 'slow' | 'tooMany' | 'failed' | null
  /** URL of the list without groups */
  back: string
}

/**
 * Returns the groups of a list; null if it is not grouped or can't be aggregated. Datetimes are grouped by day, in the
 * viewer's time zone.
 *
 * @throws Problem 403  if the policy refuses listing
 */
export async function listGroups(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters
): Promise<ListGroups | null> {
  const { base, groupBy, view } = parameters
  if (!groupBy || base !== null || !canAggregate(view)) return null
  const isByDay = groupBy.kind === 'datetime'
  const summaries = isByDay ? [] : parameters.shownSummaries
  const found = isByDay
    ? await days(ctx, parameters, groupBy)
    : await values(ctx, site, parameters, groupBy, summaries)
  const groups = Array.isArray(found) ? found : []
  const label = view.labelOf(groupBy.apiName)
  const areDays = isByDay || groupBy.kind === 'date'
  const cut = areDays ? 'latest' : 'frequent'
  return {
    label,
    headings: summaries.map((one) => headingOf(site, parameters, one)),
    groups: groups.slice(0, MOST_GROUPS),
    cut: groups.length > MOST_GROUPS ? cut : null,
    chart: chartOf(site, label, groups, areDays),
    failure: Array.isArray(found) ? null : found,
    back: parameters.with({ page: 1, groupBy: null }).url,
  }
}

function headingOf(site: Site, { view }: ListParameters, { column, of }: Summary): string {
  const label = view.labelOf(column.apiName)
  return site.text('list.groups.figure', {
    label,
    of: inSentence(site.text(`list.summaries.${of}`)),
  })
}

async function values(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters,
  column: Column,
  summaries: readonly Summary[]
) {
  const { view } = parameters
  const rows = await aggregated(ctx, parameters, {
    groupBy: column.apiName,
    select: ['count', ...summaries.map(nameOf)],
    sort: column.kind === 'date' ? `-${column.apiName}` : '-count',
    limit: MOST_GROUPS + 1,
  })
  if (!Array.isArray(rows)) return rows
  const counts = rows.map((row) => ({ value: row[column.apiName] }))
  const titles = await titlesOfValues(ctx, site, view, column, counts)
  const records = parameters.with({ page: 1, groupBy: null }).withoutColumn(column)
  return rows.map((row): Group => {
    const value = row[column.apiName]
    const text = value === null ? null : textOf(value)
    return {
      label: labelOfValue(site, view, column, text, titles),
      color: choiceOf(view, column.apiName, text)?.color,
      count: row.count as number,
      url: withValue(view, records, column, text),
      cells: summaries.map((one) => figureCell(site, view, one, row[nameOf(one)])),
    }
  })
}

/**
 * Returns the days of a datetime column with their numbers of records, the latest first, or the reason why they are
 * missing.
 */
async function days(ctx: HttpContext, parameters: ListParameters, column: Column) {
  const { view } = parameters
  const zone = presentZone()
  const options = { ...view.callOptions(ctx), zone, request: parameters.toRequest() }
  try {
    const counts = await view.crud.countByDay(column.apiName, null, options)
    if (!counts) return 'tooMany' as const
    const latest = counts.toSorted((one, other) => (one.day < other.day ? 1 : -1))
    return latest.slice(0, MOST_GROUPS + 1).map(({ day, count }): Group => ({
      label: day,
      count,
      url: urlOfDay(parameters, column, day, zone),
      cells: [],
    }))
  } catch (error) {
    if ((error as { status?: number }).status === 403) throw error
    ctx.logger.error({ err: error }, `${view.name}: ${column.apiName} could not be counted by day`)
    return 'failed' as const
  }
}

function urlOfDay(parameters: ListParameters, column: Column, day: string, zone: string) {
  const begin = DateTime.fromISO(day, { zone }).startOf('day')
  const filters = readFilters(
    [
      [filterName(column, 'gte'), inUtc(begin)],
      [filterName(column, 'lt'), inUtc(begin.plus({ days: 1 }).startOf('day'))],
    ],
    (name) => namedFilter(parameters.view, NO_TITLES, name)
  )
  const all = [...parameters.filters, ...filters]
  return parameters.with({ page: 1, groupBy: null, filters: all }).url
}

/**
 * Returns a chart with a bar per group: the latest days in chronological order, or the most frequent values; null for
 * fewer than two groups.
 */
function chartOf(site: Site, label: string, groups: readonly Group[], areDays: boolean) {
  const shown = groups.slice(0, MOST_BARS)
  if (shown.length < 2) return null
  const months = Info.months('short', { locale: 'en' })
  const bars = shown.map(({ label: text, color, count }) => ({
    label: areDays ? formatDay(text, months) : cutText(text, LONGEST_BAR_LABEL),
    color,
    count,
  }))
  const count = shown.length
  const texts = {
    title: site.text('list.groups.title', { label }),
    description: site.text('list.groups.description', { count }),
  }
  return barChart(areDays ? bars.toReversed() : bars, texts, 'list-chart')
}
