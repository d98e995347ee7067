import type { HttpContext } from '@adonisjs/core/http'
import { isForeignLink } from '#base/http/cross_site'

/**
 * Returns the page of this site that a request comes from; for htmx, the page that contains the partial page.
 *
 * @returns null for a page of another site, or if the browser does not send the page
 */
export function referringPage(ctx: HttpContext): URL | null {
  if (isForeignLink(ctx)) return null
  const { request } = ctx
  const page = request.header('hx-current-url') ?? request.header('referer') ?? ''
  return URL.parse(page)
}

/** Returns a query parameter, or null if it is absent. */
export function parameterIn({ request }: HttpContext, name: string): string | null {
  return new URLSearchParams(request.parsedUrl.query ?? '').getAll(name).at(-1) ?? null
}

export const LIST = 'list'

/* Maximum length of the query; proxies can reject longer URLs. */
const LONGEST = 3000

/**
 * Returns the query of the list that the page of the request was opened from, as contained in the URL. It must be
 * parsed like any list query, and never used as a redirect target.
 *
 * @returns null if there is none
 */
export function listQueryIn(ctx: HttpContext): string | null {
  return bounded(parameterIn(ctx, LIST))
}

/**
 * Returns the query of the list whose link the request follows; null if it comes from another page.
 *
 * @param list  path of the list
 */
export function queryOfReferringList(ctx: HttpContext, list: string): string | null {
  const page = referringPage(ctx)
  return page?.pathname === list ? bounded(page.search.slice(1)) : null
}

/**
 * Returns the URL of a page, extended by the query of the list to return to.
 *
 * @param query  query of the list; null without a list
 */
export function withListQuery(address: string, query: string | null): string {
  if (bounded(query) === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}${LIST}=${encodeURIComponent(query!)}`
}

/**
 * Returns the URL of a form, extended by the query of the list to return to. Used when the caller's permissions are not
 * known: before the login, every path is treated the same way, whether or not such a form exists.
 *
 * @param address  URL of a page of the site
 */
export function formWithListQuery(ctx: HttpContext, address: string): string {
  const url = URL.parse(address, 'http://here.invalid')
  const [, list] =
    /^(.*\/)(?:(?:update|view|history)\/.+|create_page)$/.exec(url?.pathname ?? '') ?? []
  if (list === undefined || url?.searchParams.has(LIST)) return address
  return withListQuery(address, listQueryIn(ctx) ?? queryOfReferringList(ctx, list))
}

function bounded(query: string | null): string | null {
  return query === null || query.length > LONGEST ? null : query
}

export const PARENT = '_parent'

/* Maximum length of the name; proxies can reject longer URLs. */
const LONGEST_NAME = 1000

/**
 * Returns the name of the record that a form returns to, as contained in the URL: `Distributor/3`. The record is looked
 * up with permission checks, and the name is never used as a redirect target.
 *
 * @returns null if there is none
 */
export function parentNameIn(ctx: HttpContext): string | null {
  const name = parameterIn(ctx, PARENT)
  return name === null || name.length > LONGEST_NAME ? null : name
}

/**
 * Returns the URL of a form, extended by the name of the record to return to.
 *
 * @param name  name of the record; null if the form does not return to a record
 */
export function withParentName(address: string, name: string | null): string {
  if (name === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}${PARENT}=${encodeURIComponent(name)}`
}
