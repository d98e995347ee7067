import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { WithSso } from '../authentication/sso/sso.js'
import type { WithAccessTokens } from '../authentication/access_tokens/access_tokens.js'
import type { WithDatabase } from '../config/database_config.js'
import type { WithMcp } from '../config/mcp_config.js'
import type { WithSessions } from '../authentication/sessions/session_manager.js'
import type { WithAuthentication } from '../authentication/admin_authentication.js'
import type { WithPreferences } from '../preferences/preferences.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { guardOf } from '../identity/admin_guard.js'
import { ZONES_BY_AREA, type WithTimeZone } from '../time/time_zone.js'
import { adminActor } from '../identity/admin_actor.js'
import {
  tokenFields,
  type TypedToken,
  shownToken,
} from '../authentication/access_tokens/token_form.js'
import { recentSessions, WriteBudget } from '../authentication/access_tokens/mcp_sessions.js'
import { MCP } from '../authentication/access_tokens/token_terms.js'
import { hasEventLog } from '../events/database_integration.js'
import type AdminAccessToken from '../models/admin_access_token.js'
import { plainText } from '../text/plain_text.js'
import { hasPassword } from '../authentication/passwords/password_rules.js'
import { factorSection } from '../authentication/factors/factor_panel.js'
import { strengthData } from '../forms/fields/widgets/new_password_widget.js'
import { shownNotice, type WithNotices } from '../notices/notices.js'
import { hasSingleKeys } from '../keyboard/keys.js'
import { THEMES } from '../layout/site_controllers.js'
import { DENSITIES, densityIn, USUAL_DENSITY } from '../list/saved_views/list_settings.js'
import { chosenZone } from '../http/zone_of_person.js'
import type { Site } from '../views/site.js'

/** The parts of the site that the account page needs */
export type AccountSite = Site &
  WithAccessTokens &
  WithAuthentication &
  WithDatabase &
  WithMcp &
  WithNotices &
  WithPreferences &
  WithSessions &
  WithSso &
  WithTimeZone

/**
 * Returns the signed-in user's linked identities at the single sign-on provider, for the account page.
 *
 * @returns null without single sign-on
 */
async function ssoSection(ctx: HttpContext, site: Site & WithSso) {
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

/** Data of the time zone selector. */
interface ZoneChoices {
  /** The selected zone; empty for the time zone of the site */
  value: string
  /** Label of the empty value, such as `Same as the site (UTC)` */
  site: string
  help: string
  groups: Array<{ area: string; zones: Array<{ name: string; label: string }> }>
}

/**
 * Returns the data of the time zone selector: all time zones, grouped by area.
 *
 * @param chosen  selected zone; null for the time zone of the site
 */
function zoneChoices(site: Site & WithTimeZone, chosen: string | null): ZoneChoices {
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

/** Returns the name of a zone without the area, so that typing the name of the place finds it in the list. */
function placeIn(name: string): string {
  return name.slice(name.indexOf('/') + 1).replaceAll('_', ' ')
}

/**
 * Returns the signed-in user's access tokens, and the form for a new token if a role of the user allows it.
 *
 * @returns null if the user has no tokens and is not allowed to create any
 */
async function ownTokens(
  site: Site & WithAccessTokens & WithDatabase & WithMcp,
  ctx: HttpContext,
  typed?: TypedToken
) {
  const { owner } = guardOf(ctx).signedInOrFail()
  const [tokens, mayMake] = await Promise.all([
    site.accessTokens.ofUser(owner),
    mayMakeTokens(site, ctx),
  ])
  if (tokens.length === 0 && !mayMake) return null
  const { errors } = typed ?? { errors: {} }
  return {
    tokens: await Promise.all(
      tokens.map(async (token) => ({ ...shownToken(token), budget: await budgetOf(site, token) }))
    ),
    mcpSessions: await mcpSessionsOf(site, owner.id, tokens),
    fields: mayMake ? tokenFields(site, typed ?? { typed: {}, errors: {} }) : [],
    isRefused: Object.keys(errors).length > 0,
  }
}

/**
 * Returns how many records a token can still write through the MCP server, and its budget; null if it cannot write
 * there.
 */
async function budgetOf({ mcp }: WithMcp, token: AdminAccessToken) {
  if (!mcp || token.readOnly || !token.abilities.includes(MCP)) return null
  const budget = new WriteBudget(mcp)
  return { left: await budget.left(token.id), all: budget.records }
}

/** Returns the latest MCP sessions in which tokens of the user have written records. */
async function mcpSessionsOf(
  site: Site & WithDatabase,
  userId: number,
  tokens: AdminAccessToken[]
) {
  if (!hasEventLog(site) || !tokens.some(({ abilities }) => abilities.includes(MCP))) return []
  const sessions = await recentSessions(site, userId)
  return sessions.map(({ name, startedAt, tokenName, writes }) => ({
    token: plainText(tokenName ?? '').text,
    text: site.text('mcp.undo.item', { count: writes, time: momentOf(startedAt).text }),
    url: site.url(`/mcp_sessions/${name}/undo`),
  }))
}

/**
 * Returns whether the user is allowed to create access tokens: superusers are, other users need a role with
 * `"AdminAccessToken": { "actions": ["create"] }`. A token never allows more than its owner is allowed to do.
 */
export async function mayMakeTokens(site: Site, ctx: HttpContext): Promise<boolean> {
  return await site.permissions.mayMakeTokens(adminActor(ctx))
}

/** A session as displayed to its user. */
interface OwnSession {
  id: number
  /** For example `Firefox on Linux` */
  device: string
  /** Network address, without a lookup of the location */
  address: string
  begun: Moment
  lastActive: Moment
  isPresent: boolean
}

/**
 * Returns the active sessions of the signed-in user: the current session first, then the others by last activity.
 */
async function ownSessions(site: Site & WithSessions, ctx: HttpContext): Promise<OwnSession[]> {
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

/** Fields of the form that changes the user's password */
export type PasswordField = 'current_password' | 'password' | 'password_again'

/** Results of a submitted form, shown when the page is rendered again. */
interface AccountState {
  passwordErrors?: Partial<Record<PasswordField, string>>
  token?: TypedToken
}

/**
 * Renders the account page of the signed-in user. Each section gets its data here and has a template in
 * `partials/account`.
 */
export async function accountPage(
  site: AccountSite,
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
