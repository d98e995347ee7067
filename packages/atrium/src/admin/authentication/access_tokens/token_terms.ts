import string from '@adonisjs/core/helpers/string'
import { DateTime } from 'luxon'
import { ValueError, resources, type Operation } from '#crud'
import { listed } from '#base/errors'
import { OPERATIONS } from '#crud/internals'

export const LONGEST_TOKEN_NAME = 64

/** Default lifetime of a token */
export const USUAL_LIFETIME = '90 days'

/** Value for the lifetime of a token that does not expire */
export const NEVER = 'never'

/* Maximum lifetime: long enough in practice, and a date that every database can store. */
const LONGEST_YEARS = 10

/**
 * Returns the trimmed name of a token.
 *
 * @throws ValueError  for an invalid name
 */
export function readTokenName(text: string): string {
  const name = text.trim()
  if (name === '') throw new ValueError('A token needs a name, as in ci: it says what it is for')
  if ([...name].length > LONGEST_TOKEN_NAME) {
    throw new ValueError(`The name of a token has ${LONGEST_TOKEN_NAME} characters at most`)
  }
  /* The name is shown in lists, terminals and logs, where control characters could steer a terminal or hide text. */
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new ValueError('The name of a token has one line, without invisible characters')
  }
  return name
}

/**
 * Returns the expiry time of a token. Tokens expire unless `never` is given.
 *
 * @param text  such as `30 days` or `never`. Default: the usual lifetime
 * @returns null for `never`
 * @throws ValueError  for an invalid lifetime, or one that is too short or too long
 */
export function readLifetime(text = ''): DateTime | null {
  const said = text.trim()
  return said.toLowerCase() === NEVER ? null : readExpiry(said || USUAL_LIFETIME)
}

/**
 * Returns the expiry time of a token with this lifetime, counted from now.
 *
 * @param text  such as `30 days`
 * @throws ValueError  for an invalid lifetime, or one that is too short or too long
 */
export function readExpiry(text: string): DateTime {
  const seconds = secondsIn(text.trim())
  if (!(seconds >= 1)) {
    throw new ValueError(
      `${JSON.stringify(text)} is not a time for which a token can be valid; say 30 days, 12 hours, 1 year or ${NEVER}`
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

/* Maximum number of abilities, as every request compares all of them */
const MOST_ABILITIES = 100

/** Ability to use the MCP server; not part of `*` */
export const MCP = 'mcp'

/**
 * Returns true if one of the abilities covers an operation on a model. `*` matches everything, alone or on either side
 * of the colon.
 */
export function allows(abilities: readonly string[], model: string, operation: Operation): boolean {
  const sufficient = ['*', '*:*', `${model}:*`, `*:${operation}`, `${model}:${operation}`]
  return abilities.some((ability) => sufficient.includes(ability))
}

/**
 * Parses typed abilities, such as `Product:read, Film:*`, separated by commas, spaces or line breaks.
 *
 * @returns the abilities without duplicates
 * @throws ValueError  for an empty text, too many abilities, an unknown model or an unknown operation
 */
export function readAbilities(text: string): string[] {
  const abilities = [...new Set(text.split(/[\s,]+/).filter(Boolean))]
  if (abilities.length === 0) {
    throw new ValueError(`A token needs an ability, as in ${examples()}`)
  }
  if (abilities.length > MOST_ABILITIES) {
    throw new ValueError(`A token has ${MOST_ABILITIES} abilities at most`)
  }
  for (const ability of abilities) check(ability)
  return abilities
}

/** Returns the names of the models that a token can be restricted to. */
export function modelNames(): string[] {
  const names = resources.all().map(({ name }) => name)
  return [...new Set(names)].sort()
}

function check(ability: string) {
  if (ability === '*' || ability === MCP) return
  const [model, operation, ...rest] = ability.split(':')
  if (operation === undefined || rest.length > 0) {
    throw new ValueError(
      `Unknown ability ${JSON.stringify(ability)}: an ability is MODEL:OPERATION, as in ${examples()}`
    )
  }
  if (model !== '*' && !modelNames().includes(model)) {
    throw new ValueError(
      `${JSON.stringify(ability)} names a model without endpoints; models are ${listed([...modelNames(), '*'])}`
    )
  }
  if (![...OPERATIONS, '*'].includes(operation)) {
    throw new ValueError(
      `${JSON.stringify(ability)} names no operation; operations are ${listed([...OPERATIONS, '*'])}`
    )
  }
}

function examples(): string {
  const [model = 'Product'] = modelNames()
  return `${model}:read, ${model}:*, *:create or *`
}
