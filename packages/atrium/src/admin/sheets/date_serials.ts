const DAY = 24 * 60 * 60 * 1000

/** The day 0 of the calendar that spreadsheets count in, in days since 1970 */
const EPOCH = -25_569

/** Days between that calendar and the one that begins in 1904 */
const TO_1904 = 1462

/** The calendar has a 29 February 1900, which was none. */
const LEAP_DAY = 60

/**
 * The moment of a number of days as spreadsheets keep it, in whole seconds, as in `2026-01-31 10:00:00`.
 *
 * @returns null beyond the calendar
 */
export function serialMoment(serial: number, isFrom1904: boolean): string | null {
  const days = isFrom1904 ? serial + TO_1904 : serial < LEAP_DAY ? serial + 1 : serial
  const moment = new Date(Math.round(((days + EPOCH) * DAY) / 1000) * 1000)
  const isThere = serial >= 0 && !Number.isNaN(moment.getTime()) && moment.getUTCFullYear() <= 9999
  return isThere ? moment.toISOString().slice(0, 19).replace('T', ' ') : null
}

/* Five digits are days of the years 1927 to 2173; shorter numbers are rather years. */
const SERIAL = /^\d{5}(?:\.\d+)?$/

/**
 * The same for a text of a cell that has no format of a date, as in `45382` or `45382.4375`.
 *
 * @returns the day alone for a whole number; null for a text that is no such number
 */
export function serialText(text: string, isFrom1904: boolean): string | null {
  if (!SERIAL.test(text)) return null
  const moment = serialMoment(Number(text), isFrom1904)
  return text.includes('.') ? moment : (moment?.slice(0, 10) ?? null)
}
