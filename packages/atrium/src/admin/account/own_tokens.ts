import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { adminActor } from '../authentication/admin_actor.js'
import { tokenFields, type TypedToken } from '../authentication/access_tokens/token_form.js'
import { shownToken } from '../authentication/access_tokens/token_panel.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/**
 * The signed-in user's own access tokens, and the form for a new one where a role of theirs allows it. [U7]
 *
 * @returns null for who has none and may make none
 */
export async function ownTokens(site: AdminSite, ctx: HttpContext, typed?: TypedToken) {
  const { owner } = guardOf(ctx).signedInOrFail()
  const [tokens, mayMake] = await Promise.all([
    site.accessTokens.ofUser(owner),
    mayMakeTokens(site, ctx),
  ])
  if (tokens.length === 0 && !mayMake) return null
  const { faults } = typed ?? { faults: {} }
  return {
    tokens: tokens.map((token) => shownToken(token)),
    fields: mayMake ? tokenFields(site, typed ?? { typed: {}, faults: {} }) : [],
    isRefused: Object.keys(faults).length > 0,
  }
}

/**
 * Superusers may make access tokens of their own, others as a role says: `"AdminAccessToken": { "actions":
 * ["create"] }`. A token never allows more than its owner may. [U2, U7]
 */
export async function mayMakeTokens(site: AdminSite, ctx: HttpContext): Promise<boolean> {
  return await site.permissions.mayMakeTokens(adminActor(ctx))
}
