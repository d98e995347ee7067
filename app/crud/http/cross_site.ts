import type { HttpContext } from '@adonisjs/core/http'
import { originOf, servedHosts } from './served_hosts.js'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Whether another site made the browser send this request. Programs without a browser send neither
 * header, and carry no cookies that they were not given. [B9]
 */
export function isCrossSite({ request }: HttpContext): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true

  const origin = request.header('origin')
  return origin !== undefined && !isOwn(origin, request)
}

/**
 * Whether a link of another site led here. Browsers that do not tell the site of what they send may at
 * least tell the page they come from. [B5]
 */
export function isForeignLink(ctx: HttpContext): boolean {
  const { request } = ctx
  if (isCrossSite(ctx)) return true
  const page = request.header('referer')
  const isTold = request.header('sec-fetch-site') !== undefined
  return !isTold && page !== undefined && !isOwn(page, request)
}

/**
 * Whether the request changes something and comes from another site.
 */
export function isForgery(ctx: HttpContext): boolean {
  return !SAFE_METHODS.includes(ctx.request.method()) && isCrossSite(ctx)
}

/** Scheme, name and port: what comes without encryption may have been written on the way. */
function isOwn(address: string, request: HttpContext['request']): boolean {
  const own = servedHosts().originOf(request.host(), request.protocol())
  return own !== null && originOf(address) === own
}
