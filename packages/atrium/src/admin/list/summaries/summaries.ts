import type { Column } from '#base/columns/column'
import type { DatePart } from '#base/database/dialect'
import { groupKeysOf, measuresOf, type GroupKey, type MeasureName } from '#crud/internals'
import { presentZone } from '../../time/time_zone.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { inSentence } from '../../text/plain_text.js'

/** A figure of all matching records, such as the total of a column. */
export interface Summary {
  column: Column
  of: MeasureName
}

/* Maximum number of summaries of a list: with the count of a group, they are the 20 values of an aggregation. */
const MOST = 19

/**
 * Parses summaries such as `worldwide_gross:sum,imdb_rating:avg`. Unknown columns, those that the viewer cannot see,
 * and functions that a column does not have are ignored.
 */
export function readSummaries(view: ModelView, text: string): Summary[] {
  return wordsIn(text)
    .flatMap((word) => summaryNamed(view, word) ?? [])
    .slice(0, MOST)
}

function wordsIn(text: string): string[] {
  return [...new Set(text.split(','))].filter((word) => word !== '')
}

function summaryNamed({ resource }: ModelView, word: string): Summary | null {
  const [apiName, of, ...others] = word.split(':')
  const column = others.length === 0 ? resource.sortable.get(apiName) : undefined
  const name = column && measuresOf(resource, column).find((one) => one === of)
  return name ? { column, of: name } : null
}

/** Returns the text that `readSummaries` parses. */
export function summariesWritten(summaries: readonly Summary[]): string {
  return summaries.map(wordOf).join()
}

/** Returns the name of a summary in the URL, such as `us_gross:sum`. */
export function wordOf({ column, of }: Summary): string {
  return `${column.apiName}:${of}`
}

/** Returns the summaries that the view shows if the URL has none. */
export function usualSummaries(view: ModelView): Summary[] {
  return readSummaries(view, [...(view.options.summaries ?? [])].join())
}

/**
 * Returns the columns that can be summarized, with their functions, except keys.
 *
 * @param references  API names of columns with keys of other records
 */
export function summaryChoices(
  { resource }: ModelView,
  references: readonly string[]
): Array<{ column: Column; functions: readonly MeasureName[] }> {
  return [...resource.sortable.values()].flatMap((column) => {
    const isKey = column.isPrimary || references.includes(column.apiName)
    const functions = isKey ? [] : measuresOf(resource, column)
    return functions.length > 0 ? [{ column, functions }] : []
  })
}

/** Returns the columns whose values records can share, except keys. */
export function sharedColumns({ resource }: ModelView): Column[] {
  const keys = groupKeysOf(resource).filter(({ part }) => !part)
  return keys.map(({ column }) => column).filter(({ isPrimary }) => !isPrimary)
}

/** Returns what records can be grouped by, except keys. Datetimes are grouped by day, month or year. */
export function groupChoices({ resource }: ModelView): GroupKey[] {
  return groupKeysOf(resource, presentZone()).filter(
    ({ column, part }) => !column.isPrimary && (part || column.kind !== 'datetime')
  )
}

/** Returns the group of the parameter `group_by`; null for an unknown one. A datetime alone is grouped by day. */
function readGroup({ resource }: ModelView, word: string): GroupKey | null {
  const name = resource.sortable.get(word)?.kind === 'datetime' ? `${word}:day` : word
  return groupKeysOf(resource, presentZone()).find((key) => key.name === name) ?? null
}

/**
 * Parses the parameters for figures and groups.
 *
 * @param summary  as `us_gross:sum`; undefined for the figures of the view
 * @param groupBy  as `status` or `sold_on:month`
 * @param chart    the figure of the chart, or `count`
 */
export function readFigures(
  view: ModelView,
  { summary, groupBy = '', chart = '' }: { summary?: string; groupBy?: string; chart?: string }
) {
  const group = groupBy === '' ? null : readGroup(view, groupBy)
  const isCharted = chart === 'count' || readSummaries(view, chart).length === 1
  return {
    summaries: summary === undefined ? null : readSummaries(view, summary),
    groupBy: group,
    chart: group && isCharted ? chart : null,
    unknownFigures: [
      ...wordsIn(summary ?? '').filter((word) => !summaryNamed(view, word)),
      ...(group === null && groupBy !== '' ? [groupBy] : []),
    ],
  }
}

/** Returns the unit of groups of times; null for groups of other values. */
export function unitOfGroups({ column, part }: GroupKey): DatePart | null {
  return part ?? (column.kind === 'date' ? 'day' : null)
}

/** Returns the heading of a figure, such as `US gross, total`. */
export function headingOf(
  site: Pick<Site, 'text'>,
  view: ModelView,
  { column, of }: Summary
): string {
  return site.text('list.groups.figure', {
    label: view.labelOf(column.apiName),
    of: inSentence(site.text(`list.summaries.${of}`)),
  })
}

/**
 * Rounds an average to four significant digits if it is below 10, otherwise to two decimals; from 10^15, cuts off the
 * decimals.
 */
export function shortened(average: string): string {
  const number = Number(average)
  if (Math.abs(number) >= 1e15) return average.split('.')[0]
  const rounded = Math.abs(number) < 10 ? number.toPrecision(4) : number.toFixed(2)
  return String(Number(rounded))
}
