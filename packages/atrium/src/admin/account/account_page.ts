import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { AdminSite } from '../admin_site.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { guardOf } from '../identity/admin_guard.js'
import { ZONES_BY_AREA } from '../time/time_zone.js'
import { adminActor } from '../identity/admin_actor.js'
import {
  tokenFields,
  type TypedToken,
  shownToken,
} from '../authentication/access_tokens/token_form.js'
import { plainText } from '../text/plain_text.js'
import { hasPassword } from '../authentication/passwords/password_rules.js'
import { factorSection } from '../authentication/factors/factor_panel.js'
import { strengthData } from '../forms/fields/widgets/new_password_widget.js'
import { shownNotice } from '../notices/notices.js'
import { hasSingleKeys } from '../keyboard/keys.js'
import { THEMES } from '../layout/site_controllers.js'
import { DENSITIES } from '../list/saved_views/list_place.js'
import { densityIn, USUAL_DENSITY } from '../list/saved_views/place_of.js'
import { chosenZone } from '../http/zone_of_person.js'

/**
 * The signed-in user's links with people at the provider, for the page of their account.
 *
 * @returns null without single sign-on
 */
async function ssoSection(ctx: HttpContext, site: AdminSite) {
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

/**
 * The chooser of a time zone.
 */
export interface ZoneChoices {
  /** The zone that is chosen; empty for that of the site */
  value: string
  /** Label of the empty value, as in `Same as the site (UTC)` */
  site: string
  help: string
  groups: Array<{ area: string; zones: Array<{ name: string; label: string }> }>
}

interface Site {
  timeZone: string
  text(key: string, data?: Record<string, unknown>): string
}

/**
 * All time zones by area. [R12]
 *
 * @param chosen  null for that of the site
 */
function zoneChoices(site: Site, chosen: string | null): ZoneChoices {
  const now = DateTime.now().setZone(chosen ?? site.timeZone)
  const groups = [...ZONES_BY_AREA].map(([area, names]) => ({
    area,
    zones: names.map((name) => ({ name, label: placeIn(name) })),
  }))
  return {
    value: chosen ?? '',
    site: site.text('account.siteZone', { zone: site.timeZone }),
    help: site.text('account.timeZoneHelp', {
      now: now.setLocale('en').toFormat('d LLL yyyy, HH:mm'),
    }),
    groups,
  }
}

/** Without the area, so that typing the name of the place finds it in the list. */
function placeIn(name: string): string {
  return name.slice(name.indexOf('/') + 1).replaceAll('_', ' ')
}

/**
 * The signed-in user's own access tokens, and the form for a new one where a role of theirs allows it. [U7]
 *
 * @returns null for who has none and may make none
 */
async function ownTokens(site: AdminSite, ctx: HttpContext, typed?: TypedToken) {
  const { owner } = guardOf(ctx).signedInOrFail()
  const [tokens, mayMake] = await Promise.all([
    site.accessTokens.ofUser(owner),
    mayMakeTokens(site, ctx),
  ])
  if (tokens.length === 0 && !mayMake) return null
  const { errors } = typed ?? { errors: {} }
  return {
    tokens: tokens.map((token) => shownToken(token)),
    fields: mayMake ? tokenFields(site, typed ?? { typed: {}, errors: {} }) : [],
    isRefused: Object.keys(errors).length > 0,
  }
}

/**
 * Superusers may make access tokens of their own, others as a role says: `"AdminAccessToken": { "actions":
 * ["create"] }`. A token never allows more than its owner may. [U2, U7]
 */
export async function mayMakeTokens(site: AdminSite, ctx: HttpContext): Promise<boolean> {
  return await site.permissions.mayMakeTokens(adminActor(ctx))
}

/** A session as its user sees it. */
export interface OwnSession {
  id: number
  /** As in `Firefox on Linux` */
  device: string
  /** Network address; its place is not looked up */
  address: string
  begun: Moment
  lastActive: Moment
  isPresent: boolean
}

/**
 * The active sessions of the signed-in user: the current one first, then those that were active last. [U7]
 */
async function ownSessions(site: AdminSite, ctx: HttpContext): Promise<OwnSession[]> {
  const { owner, session } = guardOf(ctx).signedInOrFail()
  const active = await site.sessionManager.activeOf(owner.id)
  return active
    .map((one) => ({ one, isPresent: one.id === session.id }))
    .sort(
      (first, second) =>
        Number(second.isPresent) - Number(first.isPresent) ||
        second.one.lastActivity.toMillis() - first.one.lastActivity.toMillis()
    )
    .map(({ one, isPresent }) => ({
      id: one.id,
      device: one.deviceInfo ? plainText(one.deviceInfo).text : site.text('account.unknownDevice'),
      address: one.ipAddress ?? '',
      begun: momentOf(one.createdAt),
      lastActive: momentOf(one.lastActivity),
      isPresent,
    }))
}

/** Fields of the form for the own password */
export type PasswordField = 'current_password' | 'password' | 'password_again'

/**
 * Results of a form of the page that are shown again.
 */
export interface AccountState {
  passwordErrors?: Partial<Record<PasswordField, string>>
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
  const [isSingle, stored, factors, sessions, tokens, notices, sso] = await Promise.all([
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
    passwordErrors: state.passwordErrors ?? {},
    factors,
    sso,
    sessions,
    tokens,
    recentNotices: notices.map((notice) => shownNotice(site, notice)),
    hasSingleKeys: isSingle,
    themes: THEMES,
    densities: DENSITIES,
    density: densityIn(stored.get(USUAL_DENSITY)),
    zones: zoneChoices(site, await chosenZone(ctx, site)),
  })
}
