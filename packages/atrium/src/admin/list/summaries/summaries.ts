import type { Column } from '#base/columns/column'
import { canGroupBy, measuresOf, type MeasureName } from '#crud/internals'
import type { ModelView } from '../../views/model_view.js'

/** A figure of all matching records, such as the total of a column. */
export interface Summary {
  column: Column
  of: MeasureName
}

/* Maximum number of summaries of a list */
const MOST = 20

/**
 * Parses summaries such as `worldwide_gross:sum,imdb_rating:avg`. Unknown columns, those that the viewer cannot see,
 * and functions that a column does not have are ignored.
 */
export function readSummaries({ resource }: ModelView, text: string): Summary[] {
  const words = [...new Set(text.split(','))]
  const known = words.flatMap((word): Summary[] => {
    const [apiName, of] = word.split(':')
    const column = resource.sortable.get(apiName)
    const name = column && measuresOf(resource, column).find((one) => one === of)
    return name ? [{ column, of: name }] : []
  })
  return known.slice(0, MOST)
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

/** Returns the columns by which records can be grouped, except keys. */
export function groupChoices({ resource }: ModelView): Column[] {
  const columns = [...resource.sortable.values()]
  return columns.filter((column) => !column.isPrimary && canGroupBy(resource, column))
}

/** Returns the column of the parameter `group_by`; null for an unknown one. */
export function readGroup(view: ModelView, apiName: string | undefined): Column | null {
  const column = view.resource.sortable.get(apiName ?? '')
  return column && canGroupBy(view.resource, column) ? column : null
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
