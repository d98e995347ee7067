import type { DatePart } from '#base/database/dialect'
import { groupedNumber } from '#base/values/numbers'
import { draw } from '../../charts/draw.js'
import type { Site } from '../../views/site.js'
import type { ShownCell } from '../cell.js'
import type { ListParameters } from '../list_parameters.js'
import { nameOf } from './list_summary.js'
import { headingOf, unitOfGroups, wordOf, type Summary } from './summaries.js'
import { begunAt, labelOfTime, timeWritten } from './times.js'

export interface Group {
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
export interface ChartChoice {
  label: string
  url: string
  isChosen: boolean
}

/** A chart with a bar for each group. */
export interface GroupsChart {
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
export function chartedFigure(parameters: ListParameters): Summary | null {
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
export function chartOfGroups(
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
          texts: bars.map(({ group }) => textOf(site, parameters, group, charted)),
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
function textOf(
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
