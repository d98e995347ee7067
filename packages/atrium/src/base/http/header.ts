import type { HttpRequest } from '@adonisjs/core/http'

/**
 * A header as it was sent. AdonisJS treats an empty one as missing.
 *
 * @returns several of that name joined by commas
 */
export function headerOf({ request }: HttpRequest, name: string): string | undefined {
  const header = request.headers[name.toLowerCase()]
  return Array.isArray(header) ? header.join(', ') : header
}
