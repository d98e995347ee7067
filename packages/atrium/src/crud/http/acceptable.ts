import type { HttpContext } from '@adonisjs/core/http'
import { notAcceptable } from '#base/http/problems'

/**
 * Checks that the caller accepts one of the media types that a route can send. An unreadable `Accept` is ignored.
 *
 * @throws Problem 406
 */
export function checkAcceptable(
  { request, response }: HttpContext,
  types: readonly string[]
): void {
  if (types.length > 1) response.vary('Accept')
  const header = request.header('accept')
  if (header === undefined || !header.includes('/')) return
  if (!request.accepts([...types])) throw notAcceptable(types)
}
