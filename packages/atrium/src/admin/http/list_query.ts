import type { HttpContext } from '@adonisjs/core/http'
import { isForeignLink } from '#base/http/cross_site'

/**
 * The page of this site that a request comes from; for htmx the page that contains the part.
 *
 * @returns null for another site's, and where the browser does not tell
 */
export function referringPage(ctx: HttpContext): URL | null {
  if (isForeignLink(ctx)) return null
  const { request } = ctx
  const page = request.header('hx-current-url') ?? request.header('referer') ?? ''
  return URL.parse(page)
}

export const LIST = 'list'

/* Longer addresses might not pass a proxy. */
const LONGEST = 3000

/**
 * The query of the list that the page of the request was opened from, as it is in its address: what it says
 * is to be read like any query of a list, and never followed. [L11]
 *
 * @returns null if there is none
 */
export function listQueryIn({ request }: HttpContext): string | null {
  return bounded(new URLSearchParams(request.parsedUrl.query ?? '').getAll(LIST).at(-1))
}

/**
 * The query of the list with the link that the request follows; null if it comes from another page.
 *
 * @param list  path of the list
 */
export function queryOfReferringList(ctx: HttpContext, list: string): string | null {
  const page = referringPage(ctx)
  return page?.pathname === list ? bounded(page.search.slice(1)) : null
}

/**
 * Address of a page that leads back to a list.
 *
 * @param query  the list's; null without a list
 */
export function withListQuery(address: string, query: string | null): string {
  if (bounded(query) === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}${LIST}=${encodeURIComponent(query!)}`
}

/**
 * Address of a form that leads back to the list, where the caller's permissions are not known yet: before the
 * login, any path is treated alike, whether there is such a form or not.
 *
 * @param address  of a page of the site
 */
export function formWithListQuery(ctx: HttpContext, address: string): string {
  const url = URL.parse(address, 'http://here.invalid')
  const [, list] =
    /^(.*\/)(?:(?:update|view|history)\/.+|create_page)$/.exec(url?.pathname ?? '') ?? []
  if (list === undefined || url?.searchParams.has(LIST)) return address
  return withListQuery(address, listQueryIn(ctx) ?? queryOfReferringList(ctx, list))
}

function bounded(query: string | null | undefined): string | null {
  return query === null || query === undefined || query.length > LONGEST ? null : query
}

export const PARENT = '_parent'

/* Longer addresses might not pass a proxy. */
const LONGEST_NAME = 1000

/**
 * The name of the record that a form leads back to, as its address has it: `Distributor/3`. It is looked up like
 * any record, and never followed. [R4]
 *
 * @returns null if there is none
 */
export function parentNameIn({ request }: HttpContext): string | null {
  const name = new URLSearchParams(request.parsedUrl.query ?? '').getAll(PARENT).at(-1)
  return name === undefined || name.length > LONGEST_NAME ? null : name
}

/**
 * Address of a form that leads back to a record.
 *
 * @param name  null if it leads back to no record
 */
export function withParentName(address: string, name: string | null): string {
  if (name === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}${PARENT}=${encodeURIComponent(name)}`
}
