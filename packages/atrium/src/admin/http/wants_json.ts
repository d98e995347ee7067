import type { HttpContext } from '@adonisjs/core/http'

/**
 * Returns true for a program, which gets JSON.
 */
export function wantsJson({ request }: HttpContext): boolean {
  return request.accepts(['html', 'json']) === 'json' || request.is(['json']) !== null
}
