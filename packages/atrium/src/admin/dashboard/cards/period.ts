import { DateTime } from 'luxon'
import { readCondition, splitList, type Condition } from '#base/columns/condition'
import type { Column } from '#base/columns/column'
import type { ReadFilter } from '#base/columns/filter'
import { inUtc } from '#base/values/datetime'
import { daysOf } from '../../list/list_filters.js'
import type { ListParameters } from '../../list/list_parameters.js'

/** Consecutive days, both inclusive, in a time zone */
export interface Period {
  from: DateTime
  to: DateTime
}

const DATES = new Set(['date', 'datetime'])

/**
 * Finds the filter of a list that limits it to a period of days, such as `ordered_on__between=this_month`; null if
 * there is none.
 *
 * @param column  the column of the filter; undefined for any column with dates
 */
export function periodOf(
  { filters }: ListParameters,
  zone: string,
  column?: Column
): { filter: ReadFilter; column: Column; period: Period } | null {
  for (const filter of filters) {
    if (filter.operator !== 'between' || !filter.column || !DATES.has(filter.column.kind)) continue
    if (column && filter.column.apiName !== column.apiName) continue
    const days = daysOf(filter.text, new Date(), zone)
    const [from, to] = days ? [days.from, days.to] : splitList(filter.text)
    const period = { from: dayOf(from, zone), to: dayOf(to, zone) }
    if (period.from.isValid && period.to.isValid && period.from <= period.to) {
      return { filter, column: filter.column, period }
    }
  }
  return null
}

function dayOf(text: string | undefined, zone: string): DateTime {
  return DateTime.fromISO((text ?? '').slice(0, 10), { zone }).startOf('day')
}

/**
 * Returns the period that a period is compared with: the period of the same length directly before it. For a week,
 * month or year that is not over yet, it returns the same number of days from the start of the previous one.
 */
export function periodBefore({ from, to }: Period, word: string): Period {
  const unit = /^this_(week|month|year)$/.exec(word)?.[1] as 'week' | 'month' | 'year' | undefined
  if (unit) {
    const begin = from.minus({ [unit]: 1 })
    const passed = Math.floor(DateTime.now().setZone(from.zone).diff(from, 'days').days)
    const end = begin.plus({ days: passed })
    return { from: begin, to: DateTime.min(end, begin.endOf(unit).startOf('day')) }
  }
  const days = Math.round(to.diff(from, 'days').days) + 1
  return { from: from.minus({ days }), to: from.minus({ days: 1 }) }
}

/** Returns the condition for records of a period. */
export function inPeriod(column: Column, { from, to }: Period): Condition {
  if (column.kind === 'date') {
    return readCondition(column, 'between', [from.toISODate()!, to.toISODate()!])
  }
  /* Half-open interval, as a time can have fractions of a second. */
  const conditions = [
    readCondition(column, 'gte', inUtc(from.startOf('day'))),
    readCondition(column, 'lt', inUtc(to.plus({ days: 1 }).startOf('day'))),
  ]
  return { type: 'and', conditions }
}
