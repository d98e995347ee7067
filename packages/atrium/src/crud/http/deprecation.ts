import type { HttpContext } from '@adonisjs/core/http'
import { checkEach, type Check } from '#base/checks'
import { shown, ValueError } from '#base/errors'

/** The option `deprecated` of a model's endpoints; a text is an ISO 8601 date or datetime, in UTC without an offset. */
export interface Deprecation {
  /** When the endpoints were deprecated, or are going to be */
  since: Date | string
  /** When they are going to stop responding */
  sunset?: Date | string
}

const MOMENT: Check = [(value) => momentOf(value) !== null, 'a Date, or a date such as 2027-03-31']

/** Returns a function that sets the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of a response. */
export function deprecationHeaders(
  place: string,
  deprecated: Deprecation
): (ctx: HttpContext) => void {
  checkEach(place, deprecated, { since: MOMENT, sunset: MOMENT }, { group: 'deprecated' })
  const { since, sunset } = deprecated
  const begin = momentOf(since)
  const end = momentOf(sunset)
  if (!begin) throw new ValueError(`${place}: deprecated needs since, ${MOMENT[1]}`)
  if (end && end < begin) {
    throw new ValueError(
      `${place}: deprecated.sunset is ${shown(sunset)}, and must not be before since`
    )
  }
  const seconds = `@${Math.floor(begin.getTime() / 1000)}`
  return ({ response }) => {
    response.header('deprecation', seconds)
    if (end) response.header('sunset', end.toUTCString())
  }
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/
const LOCAL_TIME = /T[\d:.]+$/

function momentOf(value: unknown): Date | null {
  const isText = typeof value === 'string' && ISO_DATE.test(value)
  if (!isText && !(value instanceof Date)) return null
  const date = new Date(isText && LOCAL_TIME.test(value) ? `${value}Z` : value)
  return Number.isNaN(date.getTime()) ? null : date
}
