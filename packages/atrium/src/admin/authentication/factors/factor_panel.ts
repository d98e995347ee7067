import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import { momentOf } from '../../time/local_time.js'
import type AdminFactor from '../../models/admin_factor.js'
import { relyingPartyOf, passkeyIn } from '../passkeys/relying_party.js'
import { guardOf } from '../../identity/admin_guard.js'
import type { UpdatePanel } from '../../views/view_options.js'
import AdminUser from '../../models/admin_user.js'

/* Number of recovery codes below which the page shows a warning. */
const FEW_CODES = 3

/** Returns the signed-in user's second factors, for the account page. */
export async function factorSection(ctx: HttpContext, site: Site & WithAuthentication) {
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

function shownFactor(factor: AdminFactor) {
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

/** Panel on the page of a user: the second factors of the user, and the button that removes them. */
export class FactorPanel implements UpdatePanel {
  readonly template = 'admin/partials/user_factors'
  readonly sheet = 'factors.css'

  constructor(private readonly site: Site & WithAuthentication) {}

  async data(_ctx: HttpContext, record: LucidRow) {
    const { models, adminAuthentication } = this.site
    const user = record as AdminUser
    const factors = await adminAuthentication.factors.of(user.id)
    return {
      factors: factors.map((factor) => shownFactor(factor)),
      isNeeded: adminAuthentication.mustHaveFactor(user.isSuperuser),
      reset: models.get(AdminUser.name)!.url(`/reset_factors/${user.id}`),
    }
  }
}
