import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { momentOf } from '../../time/moment.js'
import { guardOf } from '../sessions/admin_guard.js'

/**
 * The signed-in user's links with people at the provider, for the page of their account.
 *
 * @returns null without single sign-on
 */
export async function ssoSection(ctx: HttpContext, site: AdminSite) {
  const { sso } = site
  if (!sso) return null
  const { owner } = guardOf(ctx).signedInOrFail()
  const identities = await sso.identities.of(owner.id)
  return {
    label: sso.config.label,
    identities: identities.map(({ id, issuer, subject, createdAt, lastUsedAt }) => ({
      id,
      name: new URL(issuer).host,
      subject,
      created: momentOf(createdAt),
      lastUsed: lastUsedAt && momentOf(lastUsedAt),
    })),
    link: sso.url({ for: 'link' }),
    unlink: site.url('/account/sso/unlink'),
  }
}
