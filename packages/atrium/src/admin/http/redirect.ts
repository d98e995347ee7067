import type { HttpContext } from '@adonisjs/core/http'
import { flashToNextPage, type Flash } from './flash.js'
import { isLocalAddress } from './site_paths.js'

/**
 * Redirects to an address of this host, which is read with GET.
 *
 * An address that a request names must come from `returnPath`.
 *
 * @throws Error  for an address that a browser could take for another host's
 */
export function redirect({ response }: HttpContext, url: string, status = 303): void {
  response.status(status).header('location', checked(url)).send('')
}

/**
 * Redirects, and shows a message on the next page.
 */
export async function redirectWithMessage(
  ctx: HttpContext,
  url: string,
  message: Flash
): Promise<void> {
  await flashToNextPage(ctx, message)
  redirect(ctx, url)
}

/**
 * Redirects the whole page, even where htmx requests a part of it. htmx has its own header: a `Location`
 * would be followed by the browser before htmx sees either.
 *
 * @param status  of the response to htmx; 303 for the others
 */
export function redirectPage(ctx: HttpContext, url: string, status = 303): void {
  const { request, response } = ctx
  if (request.header('hx-request') === undefined) return redirect(ctx, url)
  response.status(status).header('hx-redirect', checked(url)).send('')
}

/**
 * Redirects to the provider of single sign-on, the only other host.
 *
 * @param url  made by the provider's library, of its configuration
 */
export function redirectToProvider({ response }: HttpContext, url: string): void {
  response.status(303).header('location', url).send('')
}

function checked(url: string): string {
  if (!isLocalAddress(url)) throw new Error(`Not an address of this host: ${url}`)
  return url
}
