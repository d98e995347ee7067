/**
 * The order of day, month and year in dates such as `03.04.2026`.
 */
export const DATE_ORDERS = ['iso', 'dmy', 'mdy'] as const

export type DateOrder = (typeof DATE_ORDERS)[number]

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=$|[T ])/i
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?=$|[T ,])/i

/**
 * The orders by which a text is a date: none for other texts. Nobody writes the month first before points.
 *
 * @param text  a date, also one before a time
 */
function ordersOf(text: string): DateOrder[] {
  if (YEAR_FIRST.test(text)) return isoDate(text, 'iso') === null ? [] : ['iso']
  const orders = (['dmy', 'mdy'] as const).filter((order) => isoDate(text, order) !== null)
  return orders.length === 2 && text.includes('.') ? ['dmy'] : orders
}

/**
 * A text with its date in ISO format, what follows the date as it is; null if it begins with no date of that order. A
 * date with the year first is the same in each order.
 */
export function isoDate(text: string, order: DateOrder): string | null {
  const [first, year, , month, day] = YEAR_FIRST.exec(text) ?? []
  if (first !== undefined) return joined(year, month, day, text.slice(first.length))
  const [last, one, , two, lastYear] = YEAR_LAST.exec(text) ?? []
  if (last === undefined || order === 'iso') return null
  const rest = text.slice(last.length)
  return order === 'dmy' ? joined(lastYear, two, one, rest) : joined(lastYear, one, two, rest)
}

/**
 * The same by the only order in which the text is a date; null if there are two of them, or none.
 */
export function onlyIsoDate(text: string): string | null {
  const orders = ordersOf(text)
  return orders.length === 1 ? isoDate(text, orders[0]) : null
}

function joined(year: string, month: string, day: string, rest: string): string | null {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const moment = new Date(`${iso}T00:00:00Z`)
  /* The 30th of February would become one of March. */
  const isThere = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(iso)
  return isThere ? iso + rest.replace(/^,/, '') : null
}

/**
 * Finds the order in which dates are written from examples. Texts that are no dates do not count. [D3]
 *
 * @returns the order; null if there is no date, or none fits all; `isAmbiguous` if the day and the month of all of them
 *   could be either (then the order is `dmy`)
 */
export function dateOrderOf(texts: Iterable<unknown>): {
  order: DateOrder | null
  isAmbiguous: boolean
} {
  let fitting: DateOrder[] | null = null
  let isIso = false
  for (const text of texts) {
    const orders = typeof text === 'string' ? ordersOf(text.trim()) : []
    if (orders.length === 0) continue
    if (orders[0] === 'iso') isIso = true
    else fitting = (fitting ?? orders).filter((order) => orders.includes(order))
  }
  if (fitting === null) return { order: isIso ? 'iso' : null, isAmbiguous: false }
  return { order: fitting[0] ?? null, isAmbiguous: fitting.length > 1 }
}
