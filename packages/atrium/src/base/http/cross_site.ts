import type { HttpContext } from '@adonisjs/core/http'
import { originOf, servedHosts } from './served_hosts.js'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * True if another site made the browser send this request. Programs that are not browsers send no `Sec-Fetch-Site`
 * and no `Origin`, and have no cookies except those that they were given.
 */
export function isCrossSite({ request }: HttpContext): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true

  const origin = request.header('origin')
  return origin !== undefined && !isOwn(origin, request)
}

/**
 * True if the request follows a link of another site. Browsers without `Sec-Fetch-Site` can still send the referring
 * page.
 */
export function isForeignLink(ctx: HttpContext): boolean {
  const { request } = ctx
  if (isCrossSite(ctx)) return true
  const page = request.header('referer')
  const tellsSite = request.header('sec-fetch-site') !== undefined
  return !tellsSite && page !== undefined && !isOwn(page, request)
}

/** True if the request changes data and comes from another site. */
export function isForgery(ctx: HttpContext): boolean {
  return !SAFE_METHODS.includes(ctx.request.method()) && isCrossSite(ctx)
}

/**
 * True for a URL of this site. The scheme is compared, too, because an unencrypted page could have been changed in
 * transit.
 */
function isOwn(address: string, request: HttpContext['request']): boolean {
  const own = servedHosts().originOf(request.host(), request.protocol())
  return own !== null && originOf(address) === own
}
