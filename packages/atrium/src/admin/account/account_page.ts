import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { hasPassword } from '../authentication/passwords/no_password.js'
import { factorSection } from '../authentication/factors/factor_section.js'
import { ssoSection } from '../authentication/sso/sso_section.js'
import { strengthData } from '../authentication/passwords/strength_data.js'
import type { TypedToken } from '../authentication/access_tokens/token_form.js'
import { ownTokens } from './own_tokens.js'
import { ownSessions } from './own_sessions.js'
import { shownNotice } from '../notices/notice_words.js'
import { hasSingleKeys } from '../keyboard/single_keys.js'
import { THEMES } from '../layout/theme.js'
import { DENSITIES } from '../list/saved_views/list_place.js'
import { densityIn, USUAL_DENSITY } from '../list/saved_views/place_of.js'
import { zoneChoices } from '../time/zone_choices.js'
import { chosenZone } from '../time/zone_of_person.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/** Fields of the form for the own password */
export type PasswordField = 'current_password' | 'password' | 'password_again'

/**
 * Results of a form of the page that are shown again.
 */
export interface AccountState {
  passwordFaults?: Partial<Record<PasswordField, string>>
  token?: TypedToken
}

/**
 * Renders the page of the signed-in user's own account: each section has its data here, and a template of its own
 * in `partials/account`. [U7]
 */
export async function accountPage(
  site: AdminSite,
  ctx: HttpContext,
  state: AccountState = {}
): Promise<string> {
  const { owner } = guardOf(ctx).signedInOrFail()
  const [isSingle, kept, factors, sessions, tokens, notices, sso] = await Promise.all([
    hasSingleKeys(ctx, site),
    site.preferences.read(owner.id, [USUAL_DENSITY]),
    factorSection(ctx, site),
    ownSessions(site, ctx),
    ownTokens(site, ctx, state.token),
    site.notices.recent(owner.id),
    ssoSection(ctx, site),
  ])
  return await site.render(ctx, 'pages/account', {
    hasPassword: hasPassword(owner.user),
    strength: strengthData(site, owner.username),
    passwordFaults: state.passwordFaults ?? {},
    factors,
    sso,
    sessions,
    tokens,
    recentNotices: notices.map((notice) => shownNotice(site, notice)),
    hasSingleKeys: isSingle,
    themes: THEMES,
    densities: DENSITIES,
    density: densityIn(kept.get(USUAL_DENSITY)),
    zones: zoneChoices(site, await chosenZone(ctx, site)),
  })
}
