import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { momentOf } from '../../time/moment.js'
import type AdminFactor from '../../models/admin_factor.js'
import { relyingPartyOf } from '../passkeys/relying_party.js'
import { passkeyIn } from '../passkeys/sealed_passkey.js'
import { guardOf } from '../sessions/admin_guard.js'

/* With fewer, the page says so. */
const FEW_CODES = 3

/**
 * The second factors of the signed-in user, for the page of their account. [U7, U8]
 */
export async function factorSection(ctx: HttpContext, site: AdminSite) {
  const { adminAuthentication } = site
  const { owner } = guardOf(ctx).signedInOrFail()
  const [factors, codes] = await Promise.all([
    adminAuthentication.factors.of(owner.id),
    adminAuthentication.factors.recoveryCodesLeft(owner.id),
  ])
  const path = '/account/factors'
  return {
    list: factors.map((factor) => ({
      ...shownFactor(factor),
      remove: site.url(`${path}/${factor.id}/remove`),
      rename: factor.kind === 'passkey' ? site.url(`${path}/${factor.id}/name`) : null,
    })),
    hasApp: factors.some(({ kind }) => kind === 'totp'),
    hasPasskeys: relyingPartyOf(ctx) !== null,
    codes,
    isLow: codes < FEW_CODES,
    isNeeded: adminAuthentication.mustHaveFactor(owner.isSuperuser),
    urls: {
      totp: site.url(`${path}/totp`),
      codes: site.url(`${path}/recovery-codes`),
      passkey: site.url(`${path}/passkeys`),
    },
  }
}

export function shownFactor(factor: AdminFactor) {
  const { id, kind, name, createdAt, lastUsedAt } = factor
  return {
    isSynced: passkeyIn(factor)?.isSynced === true,
    id,
    kind,
    name,
    created: momentOf(createdAt),
    lastUsed: lastUsedAt && momentOf(lastUsedAt),
  }
}
