import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { relyingPartyOf } from '../passkeys/relying_party.js'

/**
 * The offers of a page that asks for a factor: kinds that the user has, and passkeys only where the site has a name
 * that they are valid for.
 */
export async function kindsOf(site: AdminSite, ctx: HttpContext, userId: number) {
  const factors = await site.adminAuthentication.factors.of(userId)
  const has = (wanted: string) => factors.some(({ kind }) => kind === wanted)
  return { hasApp: has('totp'), hasPasskey: has('passkey') && relyingPartyOf(ctx) !== null }
}
