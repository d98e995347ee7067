import type { HttpContext } from '@adonisjs/core/http'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Whether another site made the browser send this request. Programs without a browser send neither
 * header, and carry no cookies that they were not given. [B9]
 */
export function isCrossSite({ request }: HttpContext): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true

  const origin = request.header('origin')
  return origin !== undefined && hostOf(origin) !== request.host()?.toLowerCase()
}

/**
 * Whether the request changes something and comes from another site.
 */
export function isForgery(ctx: HttpContext): boolean {
  return !SAFE_METHODS.includes(ctx.request.method()) && isCrossSite(ctx)
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}
