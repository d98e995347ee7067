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
