import { isIP } from 'node:net'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * The site as authenticators know it.
 */
export interface RelyingParty {
  /** Host name: a passkey is valid for it alone */
  id: string
  /** The one origin whose pages may use it */
  origin: string
}

/**
 * The site's host and origin: those of `APP_URL`, or outside of production those of the request if its host is
 * `localhost`. [U9]
 *
 * @returns null where the host is an address: browsers make passkeys for names only
 */
export function relyingPartyOf({ request }: HttpContext): RelyingParty | null {
  const here = `${request.protocol()}://${request.host()}`
  const isLocal = !app.inProduction && URL.canParse(here) && new URL(here).hostname === 'localhost'
  const site = new URL(isLocal ? here : app.config.get<string>('app.appUrl'))
  const id = site.hostname
  return isIP(id) || id.startsWith('[') ? null : { id, origin: site.origin }
}
