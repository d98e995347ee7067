import type { HttpContext } from '@adonisjs/core/http'
import { originOf, servedHosts } from './served_hosts.js'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * True if another site made the browser send this request. Other programs send neither header, and have
 * no cookies that they were not given. [B9]
 */
export function isCrossSite({ request }: HttpContext): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true

  const origin = request.header('origin')
  return origin !== undefined && !isOwn(origin, request)
}

/**
 * True if the request follows a link of another site. Browsers without `Sec-Fetch-Site` may still send
 * the referring page. [B5]
 */
export function isForeignLink(ctx: HttpContext): boolean {
  const { request } = ctx
  if (isCrossSite(ctx)) return true
  const page = request.header('referer')
  const tellsSite = request.header('sec-fetch-site') !== undefined
  return !tellsSite && page !== undefined && !isOwn(page, request)
}

/** True if the request changes something and comes from another site. */
export function isForgery(ctx: HttpContext): boolean {
  return !SAFE_METHODS.includes(ctx.request.method()) && isCrossSite(ctx)
}

/** Compares scheme, name and port: a page without encryption may have been changed on the way. */
function isOwn(address: string, request: HttpContext['request']): boolean {
  const own = servedHosts().originOf(request.host(), request.protocol())
  return own !== null && originOf(address) === own
}
