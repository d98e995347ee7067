import { invalidParameter } from '#base/http/problems'
import { kindOf } from '#base/columns/column_kind'
import type { Column } from '#base/columns/column'
import { countIn } from '#base/values/numbers'
import type { Resource } from '../resource/resource.js'
import type { DatePart } from '#base/database/dialect'
import {
  MEASURES,
  type Aggregation,
  type GroupKey,
  type Measure,
  type MeasureName,
} from '../sql/aggregates.js'

/** The input of an aggregation, before validation. */
export interface AggregateInput {
  /**
   * API names of the columns to group by, such as `status,country` or a list; default: one group of all items. Dates are
   * also grouped by month and year: `sold_on:month`; with a time zone, datetimes by day, month and year
   */
  groupBy?: string | readonly string[]
  /** Time zone in which the days, months and years of datetimes begin, such as `Europe/Berlin` */
  zone?: string
  /** Values of each group, such as `count,sum:price` or a list. Default: `count` */
  select?: string | readonly string[]
  /**
   * Order of the groups: names of `groupBy` and `select`, such as `-count`. Default, and for ties: the columns of
   * `groupBy`, ascending
   */
  sort?: string | readonly string[]
  /** Maximum number of groups, up to 1,000. Default: 100 */
  limit?: number | string
}

export const MOST_GROUPS = 1000
const DEFAULT_GROUPS = 100

/* Maximum numbers of columns to group by, and of aggregated values */
const MOST_COLUMNS = 5
const MOST_MEASURES = 20

const RANGED = new Set(['integer', 'number', 'date', 'datetime'])

/**
 * Validates an aggregation. Only columns that lists can be sorted by are known: those that the actor can view.
 *
 * @throws Problem 422
 */
export function readAggregation(resource: Resource, input: AggregateInput): Aggregation {
  const groups = unique(namesOf(input.groupBy)).map((name) => readGroup(resource, name, input.zone))
  const selected = unique(namesOf(input.select))
  const measures = (selected.length > 0 ? selected : ['count']).map((name) =>
    readMeasure(resource, name)
  )
  checkSize('group_by', groups.length, MOST_COLUMNS)
  checkSize('select', measures.length, MOST_MEASURES)
  const names = [...groups.map(({ name }) => name), ...measures.map(({ name }) => name)]
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) {
    throw invalidParameter('select', 'select', `can not have ${twice}, which the groups have`)
  }
  const sorts = namesOf(input.sort).map((word) => {
    const index = names.indexOf(word.replace(/^-/, ''))
    if (index < 0) {
      throw invalidParameter(
        'sort',
        'sort',
        `must be names of group_by and select with commas between, each with an optional minus; names are ${names.join(', ')}`
      )
    }
    return { index, direction: word.startsWith('-') ? ('desc' as const) : ('asc' as const) }
  })
  return { groups, measures, sorts, limit: readLimit(input.limit) }
}

/**
 * Reads a measure such as `sum:price`.
 *
 * @throws Problem 422
 */
function readMeasure(resource: Resource, word: string): Measure {
  if (word === 'count') return { name: 'count', of: 'count' }
  const [of, apiName, ...others] = word.split(':')
  const isKnown = (MEASURES as readonly string[]).includes(of)
  if (!isKnown || apiName === undefined || others.length > 0) {
    throw invalidParameter(
      'select',
      'select',
      `must be count, or ${MEASURES.join(', ')} with a column as in sum:price, not "${word}"`
    )
  }
  const column = visibleColumn(resource, 'select', apiName)
  if (!measuresOf(resource, column).includes(of as MeasureName)) {
    throw invalidParameter('select', 'select', `can not have ${of} of ${apiName}`)
  }
  return { name: word, of: of as MeasureName, column }
}

/** Returns the functions that can be applied to a column; none if the model's code changes its values. */
export function measuresOf(resource: Resource, column: Column): readonly MeasureName[] {
  if (changesValues(resource, column) || !RANGED.has(column.kind)) return []
  if (column.kind !== 'integer' && column.kind !== 'number') return ['min', 'max']
  return isStoredAsNumber(column) ? MEASURES : []
}

/**
 * Returns what items can be grouped by: columns whose values items show as stored, and units of dates.
 *
 * @param zone  time zone of the units of datetimes, which have none without it
 */
export function groupKeysOf(resource: Resource, zone?: string): GroupKey[] {
  const columns = [...resource.sortable.values()].filter((one) => !changesValues(resource, one))
  return columns.flatMap((column) => [
    { name: column.apiName, column },
    ...datePartsOf(column, zone).map((part) => ({
      name: `${column.apiName}:${part}`,
      column,
      part,
      zone,
    })),
  ])
}

function datePartsOf({ kind }: Column, zone: string | undefined): readonly DatePart[] {
  if (kind === 'date') return ['month', 'year']
  return kind === 'datetime' && zone !== undefined ? ['day', 'month', 'year'] : []
}

function readGroup(resource: Resource, name: string, zone?: string): GroupKey {
  const known = groupKeysOf(resource, zone).find((key) => key.name === name)
  if (known) return known
  const [apiName, word] = splitOnce(name)
  const column = visibleColumn(resource, 'group_by', apiName)
  const reason = changesValues(resource, column)
    ? `can not be ${apiName}, whose values are computed`
    : `can not have ${word} of ${apiName}`
  throw invalidParameter('group_by', 'group_by', reason)
}

function splitOnce(name: string): [apiName: string, word: string | undefined] {
  const at = name.lastIndexOf(':')
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)]
}

function visibleColumn(resource: Resource, parameter: string, name: string): Column {
  const column = resource.sortable.get(name)
  if (column) return column
  throw invalidParameter(
    parameter,
    parameter,
    `names the unknown column "${name}"; columns are ${[...resource.sortable.keys()].join(', ')}`
  )
}

/** True if the model can show other values than the stored ones. */
function changesValues(resource: Resource, column: Column): boolean {
  return (
    (column.needsHydration && !column.isPlainBoolean && !column.isPlainNumber) ||
    resource.reader.form.serializesItself ||
    resource.model.$hooks.has('after:fetch')
  )
}

/** False for a column whose numbers are texts of the database, as `meta.kind` can declare. */
function isStoredAsNumber({ sqlType }: Column): boolean {
  return sqlType.startsWith('bit') || kindOf(sqlType) !== 'text'
}

function readLimit(limit: number | string | undefined): number {
  if (limit === undefined || limit === '') return DEFAULT_GROUPS
  const count = countIn(String(limit))
  if (count !== null && count >= 1 && count <= MOST_GROUPS) return count
  throw invalidParameter('limit', 'integer', `must be an integer from 1 to ${MOST_GROUPS}`)
}

function checkSize(parameter: string, count: number, most: number): void {
  if (count > most) throw invalidParameter(parameter, 'size', `can have at most ${most} names`)
}

function namesOf(names: string | readonly string[] | undefined): readonly string[] {
  if (names === undefined || names === '') return []
  return typeof names === 'string' ? names.split(',') : names
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
