import type { HttpContext } from '@adonisjs/core/http'
import { type DateTime } from 'luxon'
import type { Column } from '#base/columns/column'
import { MOST_CONDITIONS, filterName, readFilters } from '#base/columns/filter'
import { writeList } from '#base/columns/condition'
import type { DatePart } from '#base/database/dialect'
import { inUtc } from '#base/values/datetime'
import { textOf } from '#base/values/numbers'
import type { Site } from '../../views/site.js'
import { choiceOf } from '../../views/choice_options.js'
import { presentZone } from '../../time/time_zone.js'
import { labelOfValue, titlesOfValues, withValue } from '../filters/facet_values.js'
import { namedFilter } from '../list_filters.js'
import type { ListParameters } from '../list_parameters.js'
import { NO_TITLES } from '../title_search.js'
import { figureCell } from '../list_table.js'
import { chartOfGroups, chartedFigure, type Group, type GroupsChart } from './groups_chart.js'
import { aggregated, canAggregate, nameOf } from './list_summary.js'
import { headingOf, unitOfGroups, type Summary } from './summaries.js'
import { begunAt, labelOfTime } from './times.js'

/** Maximum number of groups on a page */
export const MOST_GROUPS = 200

/** The values or the times of a column, with their numbers of records and summaries. */
export interface ListGroups {
  label: string
  title: string
  headings: string[]
  groups: Group[]
  /** Which groups are shown; null for all */
  cut: string | null
  /** Null for fewer than two bars */
  chart: GroupsChart | null
  failure: 'slow' | 'tooMany' | 'failed' | null
  /** Values of the summaries of all groups together; undefined if they were not read with the groups */
  totals: Record<string, unknown> | undefined
  /** URL of the list without groups */
  back: string
}

/**
 * Returns the groups of a list; null if it is not grouped or can't be aggregated. Times are those of the viewer's time
 * zone, the latest first. Other values have the order of the figure in the chart.
 *
 * @throws Problem 403  if the policy refuses listing
 */
export async function listGroups(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters
): Promise<ListGroups | null> {
  const { base, groupBy, shownSummaries, view } = parameters
  if (!groupBy || base !== null || !canAggregate(view)) return null
  const unit = unitOfGroups(groupBy)
  const charted = chartedFigure(parameters)
  let totals: ListGroups['totals']
  const rows = await aggregated(ctx, parameters, {
    groupBy: groupBy.name,
    zone: presentZone(),
    select: ['count', ...shownSummaries.map(nameOf)],
    sort: `-${unit ? groupBy.name : charted ? nameOf(charted) : 'count'}`,
    limit: MOST_GROUPS + 1,
    totals: (row) => (totals = row),
  })
  const found = Array.isArray(rows) ? rows : []
  const all = unit
    ? found.map((row) => groupOfTime(site, parameters, unit, row))
    : await groupsOfValues(ctx, site, parameters, found)
  const groups = all.slice(0, MOST_GROUPS)
  const label = view.labelOf(groupBy.column.apiName)
  return {
    label,
    title: site.text(`list.groups.title.${unit ?? 'value'}`, { label }),
    headings: shownSummaries.map((one) => headingOf(site, view, one)),
    groups,
    cut: all.length > MOST_GROUPS ? cutNote(site, parameters, charted) : null,
    chart: chartOfGroups(site, parameters, groups),
    failure: Array.isArray(rows) ? null : rows,
    totals,
    back: parameters.with({ page: 1, groupBy: null }).url,
  }
}

function cutNote(site: Site, { groupBy, view }: ListParameters, charted: Summary | null): string {
  const unit = unitOfGroups(groupBy!)
  const count = MOST_GROUPS
  if (unit) return site.text(`list.groups.cut.${unit}`, { count })
  if (!charted) return site.text('list.groups.cut.frequent', { count })
  return site.text('list.groups.cut.highest', { count, figure: headingOf(site, view, charted) })
}

type Row = Record<string, unknown>

async function groupsOfValues(
  ctx: HttpContext,
  site: Site,
  parameters: ListParameters,
  rows: readonly Row[]
): Promise<Group[]> {
  const { groupBy, view } = parameters
  const { column, name } = groupBy!
  const counts = rows.map((row) => ({ value: row[name] }))
  const titles = await titlesOfValues(ctx, site, view, column, counts)
  const records = parameters.with({ page: 1, groupBy: null }).withoutColumn(column)
  return rows.map((row): Group => {
    const value = row[name]
    const text = value === null ? null : textOf(value)
    return {
      ...figuresOf(site, parameters, row),
      label: labelOfValue(site, view, column, text, titles),
      begin: null,
      color: choiceOf(view, column.apiName, text)?.color,
      url: withValue(view, records, column, text),
    }
  })
}

function groupOfTime(site: Site, parameters: ListParameters, unit: DatePart, row: Row): Group {
  const { column, name } = parameters.groupBy!
  const { view } = parameters
  const figures = figuresOf(site, parameters, row)
  const text = row[name] === null ? null : textOf(row[name])
  const begin = text === null ? null : begunAt(text, unit)
  if (!begin) {
    const records = parameters.with({ page: 1, groupBy: null })
    const label = labelOfValue(site, view, column, text, new Map())
    const url = text === null ? withValue(view, records, column, null) : null
    return { ...figures, label, begin: null, url }
  }
  return {
    ...figures,
    label: labelOfTime(begin, unit),
    begin: text,
    url: urlOfTime(parameters, column, begin, unit),
  }
}

function figuresOf(site: Site, { shownSummaries, view }: ListParameters, row: Row) {
  return {
    count: row.count as number,
    values: row,
    cells: shownSummaries.map((one) => figureCell(site, view, one, row[nameOf(one)])),
  }
}

/** Returns the URL of the records of a time, in addition to the list's own filters. */
function urlOfTime(parameters: ListParameters, column: Column, begin: DateTime, unit: DatePart) {
  const next = begin.plus({ [unit]: 1 })
  const [first, last] = [begin, next.minus({ days: 1 })].map((day) => day.toISODate()!)
  const bounds: Array<[name: string, text: string]> =
    column.kind === 'date'
      ? [[filterName(column, 'between'), writeList([first, last])]]
      : [
          [filterName(column, 'gte'), inUtc(begin)],
          [filterName(column, 'lt'), inUtc(next)],
        ]
  const own = readFilters(bounds, (name) => namedFilter(parameters.view, NO_TITLES, name))
  const filters = [...parameters.filters, ...own]
  if (filters.length > MOST_CONDITIONS) return null
  return parameters.with({ page: 1, groupBy: null, filters }).url
}
