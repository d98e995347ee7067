import app from '@adonisjs/core/services/app'

/** Allows only the site's origin, no inline code and no frames */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const YEAR = 365 * 24 * 3600

let known: Array<[name: string, value: string]> | undefined

/**
 * Returns the default headers of every response, which a route can replace. If `APP_URL` is HTTPS, browsers are
 * required to use HTTPS only.
 */
export function securityHeaders(): ReadonlyArray<[name: string, value: string]> {
  known ??= headersFor(app.config.get<string>('app.appUrl', ''))
  return known
}

/** @param appUrl  public address of the application */
export function headersFor(appUrl: string): Array<[name: string, value: string]> {
  const headers: Array<[string, string]> = [
    ['content-security-policy', CONTENT_SECURITY_POLICY],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
  ]
  if (/^https:/i.test(appUrl)) headers.push(['strict-transport-security', `max-age=${YEAR}`])
  return headers
}
