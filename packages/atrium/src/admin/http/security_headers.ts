import type { HttpContext } from '@adonisjs/core/http'
import { CONTENT_SECURITY_POLICY } from '#base/http/security_headers'

/**
 * Security headers of every response of the site. [B10]
 */
export const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

/**
 * Sets the security headers.
 */
export function setSecurityHeaders({ response }: HttpContext): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.header(name, value)
}
