import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { KEPT, KEPT_HERE } from '../../forms/drafts/draft_parameters.js'
import { relyingPartyOf } from '../passkeys/relying_party.js'

interface LoginFormData {
  error?: string | null
  /** Shown without the mark of an error */
  notice?: string | null
  done?: string | null
  username?: string
  next?: string
}

/**
 * Renders the login page. [S21, U9]
 */
export async function loginForm(
  site: AdminSite,
  ctx: HttpContext,
  { error = null, notice = null, done = null, username = '', next }: LoginFormData
): Promise<string> {
  const { sso } = site
  const hasPasswords = sso?.config.passwords ?? true
  return await site.render(ctx, 'pages/login', {
    error,
    notice,
    done,
    username,
    next: next ?? null,
    isKept: leadsToKept(next ?? null),
    isKeptHere: ctx.request.qs()[KEPT_HERE] !== undefined,
    sso: sso && { label: sso.config.label, url: sso.url({ next: next ?? null }) },
    hasPasswords,
    hasPasskeys: hasPasswords && relyingPartyOf(ctx) !== null,
  })
}

/** True if the page after the login shows what was typed before. [R10] */
export function leadsToKept(next: string | null): boolean {
  return new URLSearchParams(next?.split('?', 2)[1]).has(KEPT)
}
