import type { HttpRequest } from '@adonisjs/core/http'

/**
 * Returns a header as it was sent. AdonisJS treats an empty header as missing.
 *
 * @returns the value; several headers of that name are joined by commas
 */
export function headerOf({ request }: HttpRequest, name: string): string | undefined {
  const header = request.headers[name.toLowerCase()]
  return Array.isArray(header) ? header.join(', ') : header
}
