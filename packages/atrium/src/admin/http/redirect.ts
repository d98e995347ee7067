import type { HttpContext } from '@adonisjs/core/http'
import { flashToNextPage, type Flash } from './flash.js'
import { isLocalAddress } from './site_paths.js'

/**
 * Redirects to a URL of this host, which is requested with GET.
 *
 * A URL from a request must be validated by `returnPath` first.
 *
 * @throws Error  for a URL that a browser could interpret as one of another host
 */
export function redirect({ response }: HttpContext, url: string, status = 303): void {
  response.status(status).header('location', checked(url)).send('')
}

/** Redirects, and shows a message on the next page. */
export async function redirectWithMessage(
  ctx: HttpContext,
  url: string,
  message: Flash
): Promise<void> {
  await flashToNextPage(ctx, message)
  redirect(ctx, url)
}

/**
 * Redirects the whole page, even if htmx requests a part of it. htmx has a separate header, because the browser would
 * follow a `Location` header before htmx could read it.
 *
 * @param status  status of the response to htmx; other responses have 303
 */
export function redirectPage(ctx: HttpContext, url: string, status = 303): void {
  const { request, response } = ctx
  if (request.header('hx-request') === undefined) return redirect(ctx, url)
  response.status(status).header('hx-redirect', checked(url)).send('')
}

/**
 * Redirects to the provider of single sign-on, the only other host that the site redirects to.
 *
 * @param url  URL that the provider's library has built from the provider's configuration
 */
export function redirectToProvider({ response }: HttpContext, url: string): void {
  response.status(303).header('location', url).send('')
}

function checked(url: string): string {
  if (!isLocalAddress(url)) throw new Error(`Not an address of this host: ${url}`)
  return url
}
