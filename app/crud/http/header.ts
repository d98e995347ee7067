import type { HttpRequest } from '@adonisjs/core/http'

/**
 * A header as it was sent: an empty one is not the same as none, which AdonisJS takes it for.
 *
 * @returns several of that name joined by commas
 */
export function headerOf({ request }: HttpRequest, name: string): string | undefined {
  const header = request.headers[name.toLowerCase()]
  return Array.isArray(header) ? header.join(', ') : header
}
