import type { HttpContext } from '@adonisjs/core/http'
import { headerOf } from '#base/http/header'
import { malformedHeader } from '#base/http/problems'

const NAME = 'Idempotency-Key'
const MOST_CHARACTERS = 255

/** A string of RFC 9651, in which a backslash escapes quotes and backslashes. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
/** The form that many clients send instead: a UUID, base64, a number */
const BARE = /^[\w!#$%&'*+\-.^`|~:/=]+$/

/**
 * The `Idempotency-Key` of a request, if it has one. The key is the same with and without quotes. [Q7]
 *
 * @throws Problem 400
 */
export function idempotencyKeyOf({ request }: HttpContext): string | undefined {
  const header = headerOf(request, NAME)
  if (header === undefined) return undefined
  const key = parseKey(header.trim())
  if (key === undefined || key === '' || key.length > MOST_CHARACTERS) {
    throw malformedHeader(
      NAME,
      `it must be one key of 1 to ${MOST_CHARACTERS} characters in quotes, as in "8e03978e-40d5-43e8-bc93-6894a57f9324"`
    )
  }
  return key
}

function parseKey(text: string): string | undefined {
  if (BARE.test(text)) return text
  return QUOTED.exec(text)?.[1].replace(/\\(.)/g, '$1')
}
