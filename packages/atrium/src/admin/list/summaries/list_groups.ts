import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { Column } from '#base/columns/column'
import { MOST_CONDITIONS, filterName, readFilters } from '#base/columns/filter'
import { writeList } from '#base/columns/condition'
import type { DatePart } from '#base/database/dialect'
import { inUtc } from '#base/values/datetime'
import { textOf, groupedNumber } from '#base/values/numbers'
import type { Site } from '../../views/site.js'
import { choiceOf } from '../../views/choice_options.js'
import { presentZone } from '../../time/time_zone.js'
import { labelOfValue, titlesOfValues, withValue } from '../filters/facet_values.js'
import { namedFilter } from '../list_filters.js'
import type { ListParameters } from '../list_parameters.js'
import { NO_TITLES } from '../title_search.js'
import { figureCell } from '../list_table.js'
import { aggregated, canAggregate, nameOf } from './list_summary.js'
import { headingOf, unitOfGroups, type Summary, wordOf } from './summaries.js'
import { draw } from '../../charts/charts.js'
import type { ShownCell } from '../cell.js'

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

interface Group {
  label: string
  /** Beginning of the time, such as `2026-11`; null for other values, and for records without one */
  begin: string | null
  /** Colour of the value's badge */
  color?: string
  count: number
  /** URL of the group's records; null if no filter can select the value */
  url: string | null
  /** Values of the figures, by the names of `nameOf` */
  values: Record<string, unknown>
  cells: ShownCell[]
}

/** A figure that the chart can show. */
interface ChartChoice {
  label: string
  url: string
  isChosen: boolean
}

/** A chart with a bar for each group. */
interface GroupsChart {
  svg: string
  /** Empty if there is only the number of records */
  choices: ChartChoice[]
  /** Which groups have a bar; null for all */
  note: string | null
}

/* Maximum number of bars: of times, which are narrow, and of values, each of which has a label */
const MOST_TIMES = 60
const MOST_VALUES = 12
/* Maximum length of a value's label next to its bar, in characters */
const LONGEST_LABEL = 30

/** Returns the figure in the chart of the groups; null for the number of records. */
function chartedFigure(parameters: ListParameters): Summary | null {
  if (parameters.chart === 'count') return null
  const figures = chartedFigures(parameters)
  return figures.find((one) => wordOf(one) === parameters.chart) ?? figures[0] ?? null
}

/** Returns the figures that are numbers. */
function chartedFigures({ shownSummaries }: ListParameters): Summary[] {
  return shownSummaries.filter(({ column: { kind } }) => kind === 'integer' || kind === 'number')
}

/**
 * Draws the latest times in chronological order, including those without records, or the first values. Records without
 * a time have no bar.
 *
 * @returns null for fewer than two bars
 */
function chartOfGroups(
  site: Site,
  parameters: ListParameters,
  groups: readonly Group[]
): GroupsChart | null {
  const unit = unitOfGroups(parameters.groupBy!)
  const { bars, isCut } = unit ? barsOfTimes(groups, unit) : barsOfValues(groups)
  if (bars.length < 2) return null
  const charted = chartedFigure(parameters)
  const count = bars.length
  const note = `list.groups.chart.${unit ? 'latest' : 'first'}`
  return {
    svg: draw({
      kind: 'bars',
      isTime: unit !== null,
      title: site.text('list.groups.chart.title', {
        count,
        figure: labelOf(site, parameters, charted),
      }),
      labels: bars.map(({ label }) => label),
      longestName: LONGEST_LABEL,
      colors: bars.map(({ group }) => group?.color),
      series: [
        {
          label: '',
          values: bars.map(({ group }) => (group ? valueOf(group, charted) : 0)),
          texts: bars.map(({ group }) => textOfBar(site, parameters, group, charted)),
        },
      ],
    }),
    choices: choicesOf(site, parameters, charted),
    note: isCut ? site.text(note, { count }) : null,
  }
}

interface Bars {
  /** `group` is undefined for a time without records. */
  bars: Array<{ label: string; group: Group | undefined }>
  isCut: boolean
}

function barsOfValues(groups: readonly Group[]): Bars {
  const bars = groups.slice(0, MOST_VALUES).map((group) => ({ label: group.label, group }))
  return { bars, isCut: bars.length < groups.length }
}

function barsOfTimes(groups: readonly Group[], unit: DatePart): Bars {
  const times = groups.filter(({ begin }) => begin !== null)
  const known = new Map(times.map((group) => [group.begin, group]))
  const first = times.at(-1)?.begin
  const bars: Bars['bars'] = []
  let time = times.length > 0 ? begunAt(times[0].begin!, unit) : null
  while (time && bars.length < MOST_TIMES) {
    const begin = timeWritten(time, unit)
    bars.unshift({ label: labelOfTime(time, unit), group: known.get(begin) })
    if (begin <= first!) return { bars, isCut: false }
    time = time.minus({ [unit]: 1 })
  }
  return { bars, isCut: times.length > 0 }
}

function labelOf(site: Site, { view }: ListParameters, charted: Summary | null): string {
  return charted ? headingOf(site, view, charted) : site.text('list.groups.count')
}

function valueOf({ count, values }: Group, charted: Summary | null): number {
  return charted ? Number(values[nameOf(charted)] ?? 0) : count
}

/** Returns the text of a bar, in the format of the list. */
function textOfBar(
  site: Site,
  { shownSummaries }: ListParameters,
  group: Group | undefined,
  charted: Summary | null
): string {
  if (!group) return site.text('list.groups.noRecords')
  if (!charted) return groupedNumber(group.count)
  return group.cells[shownSummaries.findIndex((one) => nameOf(one) === nameOf(charted))].text
}

function choicesOf(site: Site, parameters: ListParameters, charted: Summary | null): ChartChoice[] {
  const figures = chartedFigures(parameters)
  if (figures.length === 0) return []
  const wordFor = (figure: Summary | null) => (figure ? wordOf(figure) : 'count')
  return [...figures, null].map((figure) => ({
    label: labelOf(site, parameters, figure),
    url: parameters.with({ chart: wordFor(figure) }).url,
    isChosen: wordFor(figure) === wordFor(charted),
  }))
}

const FORMATS = { year: 'yyyy', month: 'yyyy-MM', day: 'yyyy-MM-dd' }

/**
 * Returns the beginning of a group of times in the viewer's time zone.
 *
 * @param text  `2026`, `2026-11` or `2026-11-30`, as the unit says
 * @returns null for any other text
 */
function begunAt(text: string, unit: DatePart): DateTime | null {
  const time = DateTime.fromFormat(text, FORMATS[unit], { zone: presentZone() })
  return time.isValid ? time.startOf('day') : null
}

/** Returns the text of `begunAt`. */
function timeWritten(time: DateTime, unit: DatePart): string {
  return time.toFormat(FORMATS[unit])
}

/** Returns the label of a time: `2026`, `Nov 2026`, or the day as in cells. */
function labelOfTime(time: DateTime, unit: DatePart): string {
  return unit === 'month' ? time.setLocale('en').toFormat('LLL yyyy') : timeWritten(time, unit)
}
