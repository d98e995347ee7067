/** Languages whose month names are recognized; no name means different months in them */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'pl']

const EXTRA = [
  ['sept', 9],
  ['mrz', 3],
] as const

/**
 * Returns the number of a month by name or abbreviation, such as `Jan`, `march` or `août`; undefined for other words.
 */
function monthNumber(name: string): number | undefined {
  months ??= allMonths()
  return months.get(plain(name))
}

let months: ReadonlyMap<string, number> | undefined

function allMonths(): ReadonlyMap<string, number> {
  const found = new Map<string, Set<number>>()
  const add = (name: string, month: number) => {
    const word = plain(name)
    if (word.length >= 3) found.set(word, (found.get(word) ?? new Set()).add(month))
  }
  for (const language of LANGUAGES) {
    for (const month of ['long', 'short'] as const) {
      /* With and without a day, as some languages inflect the name next to a day. */
      for (const day of ['numeric', undefined] as const) {
        const format = new Intl.DateTimeFormat(language, { month, day, timeZone: 'UTC' })
        for (let number = 1; number <= 12; number++) add(nameIn(format, number), number)
      }
    }
  }
  for (const [name, month] of EXTRA) add(name, month)
  const clear = [...found].filter(([, numbers]) => numbers.size === 1)
  return new Map(clear.map(([name, numbers]) => [name, [...numbers][0]]))
}

function nameIn(format: Intl.DateTimeFormat, month: number): string {
  const parts = format.formatToParts(Date.UTC(2024, month - 1, 1))
  return parts.find(({ type }) => type === 'month')?.value ?? ''
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '')
}

/** Order of day, month and year in dates such as `03.04.2026`. */
export const DATE_ORDERS = ['iso', 'dmy', 'mdy'] as const

export type DateOrder = (typeof DATE_ORDERS)[number]

/** An interpretation of the date at the beginning of a text: the order, and the text with the date in ISO format */
interface Reading {
  /** Null for an unambiguous date: with the name of the month, or with a four-digit year first */
  order: DateOrder | null
  iso: string
}

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=$|[T ,])/i
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?=$|[T ]\d)/i
const NUMERIC = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?=$|[T ,])/i
const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+(?=\S)/i
const NAMED_DAY_FIRST =
  /^(\d{1,2})(?:st|nd|rd|th|\.)?[\s/-]*(?:(?:of|de)\s)?(\p{L}{3,12})\.?[\s/,-]*(?:de\s)?(\d{4}|\d\d)(?=$|[T ,])/iu
const NAMED_MONTH_FIRST =
  /^(\p{L}{3,12})\.?[\s/-]*(\d{1,2})(?:st|nd|rd|th)?(?:,\s*|[\s/-]+)(\d{4}|\d\d)(?=$|[T ,])/iu
const NAMED_YEAR_FIRST = /^(\d{4})[\s/-]+(\p{L}{3,12})\.?[\s/-]+(\d{1,2})(?=$|[T ,])/iu

/* Maximum length of a date; longer texts would take time. */
const LONGEST = 100

/** Returns the possible interpretations of the date at the beginning of a text; none for other texts. */
function readingsOf(text: string): Reading[] {
  if (text.length > LONGEST) return []
  return clearReading(text) ?? numericReadings(text)
}

/** Returns the interpretation of an unambiguous date; null for a text in another format */
function clearReading(text: string): Reading[] | null {
  const sized = YEAR_FIRST.exec(text)
  if (sized) return read(null, text, sized, [1, 3, 4])
  const compact = COMPACT.exec(text)
  if (compact) return read(null, text, compact, [1, 2, 3])
  const rest = text.replace(WEEKDAY, '')
  const dayFirst = NAMED_DAY_FIRST.exec(rest)
  if (dayFirst) return read(null, rest, dayFirst, [3, 2, 1])
  const monthFirst = NAMED_MONTH_FIRST.exec(rest)
  if (monthFirst) return read(null, rest, monthFirst, [3, 1, 2])
  const yearFirst = NAMED_YEAR_FIRST.exec(rest)
  return yearFirst ? read(null, rest, yearFirst, [1, 2, 3]) : null
}

function numericReadings(text: string): Reading[] {
  const match = NUMERIC.exec(text)
  if (!match) return []
  const isYearFirst = match[2] === '-' && match[1].length === 2 && match[4].length === 2
  return [
    ...read('dmy', text, match, [4, 3, 1]),
    ...read('mdy', text, match, [4, 1, 3]),
    ...(isYearFirst ? read('iso', text, match, [1, 3, 4]) : []),
  ]
}

/** Returns the plausible interpretations: in dates with points, the month is not first. */
function likelyReadings(text: string): Reading[] {
  const readings = readingsOf(text)
  const isDayFirst = text.includes('.') && readings[0]?.order === 'dmy'
  return isDayFirst && readings.length === 2 ? readings.slice(0, 1) : readings
}

function read(
  order: DateOrder | null,
  text: string,
  match: RegExpExecArray,
  [year, month, day]: readonly [number, number, number]
): Reading[] {
  const iso = isoOf(match[year], match[month], match[day])
  return iso === null ? [] : [{ order, iso: iso + text.slice(match[0].length).replace(/^,/, '') }]
}

function isoOf(year: string, month: string, day: string): string | null {
  const number = /^\d/.test(month) ? Number(month) : monthNumber(month)
  if (number === undefined) return null
  const iso = `${wholeYear(year)}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  const moment = new Date(`${iso}T00:00:00Z`)
  /* Rejects days such as 30 February, which JavaScript would convert to a day in March. */
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(iso) ? iso : null
}

/** Converts a two-digit year to a year from 1950 to 2049. */
function wholeYear(year: string): string {
  if (year.length === 4) return year
  return (Number(year) < 50 ? '20' : '19') + year
}

/**
 * Returns a text with the date in ISO format, and the rest of the text unchanged; null if it does not begin with a date
 * in that order.
 */
export function isoDate(text: string, order: DateOrder): string | null {
  const fitting = readingsOf(text).find((one) => one.order === null || one.order === order)
  return fitting?.iso ?? null
}

/** Returns the plausible interpretations of a text as a date, without duplicates, in ISO format. */
export function isoReadings(text: string): string[] {
  return [...new Set(likelyReadings(text).map(({ iso }) => iso))]
}

/** Order of the dates of a column, detected from the values. */
export interface FoundOrder {
  /** Null if no order matches all dates whose order matters, or if there are no such dates */
  order: DateOrder | null
  /** True if several orders match, so that the order is unknown */
  isAmbiguous: boolean
  /**
   * The value that determined the order, or the first one that matches no order; null if the order of no date matters
   */
  example: { text: string; line: number } | null
  /**
   * How the order was determined: by the example, which matches no other order; by points, which indicate that the day
   * is first; or by all values together, each of which also matches another order
   */
  toldBy?: 'example' | 'points' | 'all'
}

/**
 * Detects the order of the dates of a column. Ignores texts that are not dates, and dates that are the same in each
 * order.
 */
export class OrderFinder {
  #fitting: DateOrder[] | null = null
  #example: FoundOrder['example'] = null
  #fitsOne: FoundOrder['example'] = null
  #hasPoints = false

  add(value: unknown, line: number): void {
    if (typeof value !== 'string') return
    const text = value.trim()
    const orders = likelyReadings(text).flatMap(({ order }) => order ?? [])
    if (orders.length === 0) return
    /* 05/05/2026 is the same day in both orders. */
    if (orders.length > 1 && isoReadings(text).length === 1) return
    if (readingsOf(text).length === 1) this.#fitsOne ??= { text, line }
    const before = this.#fitting
    this.#fitting = (before ?? orders).filter((order) => orders.includes(order))
    if (this.#fitting.length === (before?.length ?? Infinity)) return
    this.#example = { text, line }
    this.#hasPoints = orders.length === 1
  }

  get found(): FoundOrder {
    const fitting = this.#fitting ?? []
    const isAmbiguous = fitting.length > 1
    if (fitting.length !== 1) return { order: null, isAmbiguous, example: this.#example }
    return {
      order: fitting[0],
      isAmbiguous,
      example: this.#fitsOne ?? this.#example,
      toldBy: this.#fitsOne ? 'example' : this.#hasPoints ? 'points' : 'all',
    }
  }
}
