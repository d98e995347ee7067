import { DateTime } from 'luxon'

/* From the first day to the last, both included. */
const PERIODS = {
  today: (today) => [today, today],
  yesterday: (today) => [today.minus({ days: 1 }), today.minus({ days: 1 })],
  last_7_days: (today) => [today.minus({ days: 6 }), today],
  last_30_days: (today) => [today.minus({ days: 29 }), today],
  /* A week begins on Monday. */
  this_week: (today) => [today.startOf('week'), today.endOf('week')],
  this_month: (today) => [today.startOf('month'), today.endOf('month')],
  last_month: (today) => {
    const month = today.startOf('month').minus({ months: 1 })
    return [month, month.endOf('month')]
  },
  this_year: (today) => [today.startOf('year'), today.endOf('year')],
  last_year: (today) => {
    const year = today.startOf('year').minus({ years: 1 })
    return [year, year.endOf('year')]
  },
} satisfies Record<string, (today: DateTime) => [DateTime, DateTime]>

export type Period = keyof typeof PERIODS

/** The words for periods that a filter of dates takes. [L2] */
export const PERIOD_NAMES = Object.keys(PERIODS) as Period[]

/**
 * A period as days, both included, and as the moments at which it begins and the next one begins.
 */
export interface Days {
  /** As `2026-01-31` */
  from: string
  to: string
  /** As `2026-01-31 00:00:00`, in UTC */
  begin: string
  end: string
}

/**
 * The days that a word stands for at a moment. [L2]
 *
 * @param zone  time zone in which days begin and end, as in `Europe/Berlin`
 * @returns null if it is no such word
 */
export function daysOf(word: string, now: Date = new Date(), zone: string = 'utc'): Days | null {
  if (!isPeriod(word)) return null
  const [from, to] = PERIODS[word](DateTime.fromJSDate(now, { zone }))
  const next = to.plus({ days: 1 })
  return {
    from: from.toFormat('yyyy-MM-dd'),
    to: to.toFormat('yyyy-MM-dd'),
    begin: moment(from.startOf('day')),
    end: moment(next.startOf('day')),
  }
}

function moment(at: DateTime): string {
  return at.toUTC().toFormat('yyyy-MM-dd HH:mm:ss')
}

/**
 * Returns true if the text is a word for a period.
 */
export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text)
}
