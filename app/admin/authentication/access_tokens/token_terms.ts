import string from '@adonisjs/core/helpers/string'
import { DateTime } from 'luxon'
import { ValueError } from '#crud'

export const LONGEST_TOKEN_NAME = 64

/** How long a token is good for where nothing is said of it */
export const USUAL_LIFETIME = '90 days'

/** What is said of one that does not expire */
export const NEVER = 'never'

/* Far enough for everybody, and no date that a database can't take. */
const LONGEST_YEARS = 10

/**
 * What somebody calls a token.
 *
 * @throws ValueError  for a name that can't be
 */
export function readTokenName(text: string): string {
  const name = text.trim()
  if (name === '') throw new ValueError('A token needs a name, as in ci: it says what it is for')
  if ([...name].length > LONGEST_TOKEN_NAME) {
    throw new ValueError(`The name of a token has ${LONGEST_TOKEN_NAME} characters at most`)
  }
  /* It stands in lists, terminals and logs: no sign in it may steer them, or hide what it says. */
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new ValueError('The name of a token has one line, without invisible characters')
  }
  return name
}

/**
 * When a token expires. One that never does is one that was said to. [P10]
 *
 * @param text  as in `30 days` or `never`; the usual time where it is empty
 * @returns null for never
 * @throws ValueError  for what is no time, too short or too long
 */
export function readLifetime(text = ''): DateTime | null {
  const said = text.trim()
  return said.toLowerCase() === NEVER ? null : readExpiry(said || USUAL_LIFETIME)
}

/**
 * When a token expires that is good for so long from now on.
 *
 * @param text  as in `30 days`
 * @throws ValueError  for what is no time, too short or too long
 */
export function readExpiry(text: string): DateTime {
  const seconds = secondsIn(text.trim())
  if (!(seconds >= 1)) {
    throw new ValueError(
      `${JSON.stringify(text)} is no time that a token can be good for; say 30 days, 12 hours, 1 year or ${NEVER}`
    )
  }
  const expiry = DateTime.utc().plus({ seconds })
  if (!(expiry <= DateTime.utc().plus({ years: LONGEST_YEARS, days: 3 }))) {
    throw new ValueError(
      `${JSON.stringify(text)} is too long: a token that expires does so within ${LONGEST_YEARS} years`
    )
  }
  return expiry.startOf('second')
}

function secondsIn(text: string): number {
  try {
    return string.seconds.parse(text)
  } catch {
    return Number.NaN
  }
}
