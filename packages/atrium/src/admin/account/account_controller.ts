import type { HttpContext } from '@adonisjs/core/http'
import { ValueError } from '#crud'
import type { Site } from '../views/site.js'
import type { WithNotices } from '../notices/notices.js'
import type { WithCookies } from '../authentication/login/first_step.js'
import type { WithSessions } from '../authentication/sessions/session_manager.js'
import type { WithUsers } from '../authentication/admin_user_service.js'
import { EventType } from '../events/event_integration.js'
import { flashToNextPage } from '../http/flash.js'
import { sentTexts, singleText, exactText } from '../http/form_texts.js'
import { returnPath } from '../http/site_paths.js'
import { SINGLE_KEYS } from '../keyboard/keys.js'
import { keepTheme, THEMES } from '../layout/site_controllers.js'
import { DENSITIES, USUAL_DENSITY } from '../list/saved_views/list_settings.js'
import { isTimeZone } from '../time/time_zone.js'
import { TIME_ZONE } from '../http/zone_of_person.js'
import { guardOf } from '../identity/admin_guard.js'
import type AdminUser from '../models/admin_user.js'
import { adminActor, adminOrigin } from '../identity/admin_actor.js'
import { hasPassword } from '../authentication/passwords/password_rules.js'
import { replacePassword, type PasswordSite } from '../authentication/passwords/replace_password.js'
import { NotAllowed } from '../http/errors.js'
import { accountPage, type PasswordField, type AccountSite } from './account_page.js'
import { redirectWithMessage, redirect } from '../http/redirect.js'
import { rowId } from '../views/record_items.js'
import type {
  SignedIn,
  SessionRest,
  WithAuthentication,
  AdminAuthentication,
} from '../authentication/admin_authentication.js'
import { requireProof } from '../identity/proof.js'

/** Account page and preferences of the signed-in user, whatever roles the user has. */
export class AccountController {
  constructor(private readonly site: AccountSite & WithCookies) {}

  async show(ctx: HttpContext): Promise<string> {
    return await accountPage(this.site, ctx)
  }

  /**
   * Saves the preferences that the form contains. A preference that is missing or has an unknown value stays unchanged.
   * An empty time zone selects the time zone of the site.
   */
  async prefer(ctx: HttpContext): Promise<void> {
    const { owner } = guardOf(ctx).signedInOrFail()
    const texts = sentTexts(ctx)
    const density = DENSITIES.find((one) => one === singleText(texts, 'density'))
    const theme = THEMES.find((one) => one === singleText(texts, 'theme'))
    const isSingle = switchIn(texts.get('single_keys'))
    const zone = singleText(texts, TIME_ZONE)
    await this.site.preferences.write(owner.id, {
      ...(isSingle !== undefined && { [SINGLE_KEYS]: isSingle ? null : false }),
      ...(density && { [USUAL_DENSITY]: density === DENSITIES[0] ? null : density }),
      ...((zone === '' || isTimeZone(zone)) && { [TIME_ZONE]: zone || null }),
    })
    if (theme) keepTheme(ctx, this.site, theme)
    this.site.logEvent(ctx, { type: EventType.VIEW, details: { page: 'preferences' } })
    if (ctx.request.header('hx-request') === undefined) {
      await flashToNextPage(ctx, { kind: 'success', text: this.site.text('account.saved') })
    }
    const next = returnPath(this.site, singleText(texts, 'next')) ?? this.site.url('/account')
    redirect(ctx, next)
  }
}

/**
 * Returns the state of a checkbox that comes with a hidden field of the same name and the value `off`.
 *
 * @returns undefined if the form has no such checkbox
 */
function switchIn(sent: readonly string[] | undefined): boolean | undefined {
  if (sent?.includes('on')) return true
  return sent?.includes('off') ? false : undefined
}

/** Marks the notices of the signed-in user as seen. */
export class NoticesController {
  constructor(private readonly site: Site & WithNotices) {}

  async see(ctx: HttpContext): Promise<void> {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const texts = sentTexts(ctx)
    const last = rowId(singleText(texts, 'last'))
    if (last !== null) await this.site.notices.see(owner.id, last, session.id)
    const next = returnPath(this.site, singleText(texts, 'next')) ?? this.site.url('/account')
    redirect(ctx, next)
  }
}

type CheckedPassword =
  | { isRight: true }
  /** `wait`: seconds until the next attempt is allowed, after too many attempts */
  | { isRight: false; status: 422 | 429; wait?: number }

/**
 * Checks the current password of a signed-in user again, so that a stolen session is not enough. Attempts are counted,
 * throttled and logged like logins.
 */
class PasswordCheck {
  constructor(private readonly site: Site & WithAuthentication & WithUsers) {}

  /** @throws QueueFull  when too many checks are waiting */
  async check(ctx: HttpContext, user: AdminUser, password: string): Promise<CheckedPassword> {
    const { adminAuthentication, adminUserService } = this.site
    const { throttle } = adminAuthentication
    const { username } = user
    const address = ctx.request.ip()
    const wait = await throttle.attempt(username, address)
    if (wait !== undefined) return { isRight: false, status: 429, wait }
    let found: AdminUser | null
    try {
      await throttle.slowDown(username)
      found = await adminUserService.verify(username, password)
    } catch (error) {
      await throttle.withdraw(username, address)
      throw error
    }
    if (found?.id !== user.id) {
      ctx.logger.warn({ username, address }, 'The current password was wrong')
      this.site.logEvent(ctx, {
        type: EventType.FAILED_LOGIN,
        status: 'failure',
        details: { reason: 'credentials' },
      })
      return { isRight: false, status: 422 }
    }
    await throttle.succeed(username, address)
    return { isRight: true }
  }
}

type Errors = Partial<Record<PasswordField, string>>

/** Changes the password of the signed-in user, who has to enter the current one. */
export class PasswordController {
  readonly #check: PasswordCheck

  constructor(private readonly site: AccountSite & PasswordSite & WithUsers) {
    this.#check = new PasswordCheck(site)
  }

  /**
   * Changes the password, ends the user's other sessions, and gives the current session a new id and token. The current
   * password is checked first: a user who does not know it sees no other error messages.
   *
   * @throws NotAllowed  for a user without a password, who needs a link from a superuser
   */
  async change(ctx: HttpContext): Promise<unknown> {
    const { site } = this
    const signedIn = guardOf(ctx).signedInOrFail()
    const { user } = signedIn.owner
    if (!hasPassword(user)) throw new NotAllowed()
    const texts = sentTexts(ctx)
    const [present, password, again] = (
      ['current_password', 'password', 'password_again'] as const
    ).map((name) => exactText(texts, name) ?? '')

    const response = await this.#check.check(ctx, user, present)
    if (!response.isRight) {
      if (response.wait) ctx.response.header('retry-after', String(response.wait))
      const { wait, status } = response
      return await this.#refuse(ctx, status, {
        current_password: site.text(wait ? 'login.throttled' : 'account.password.wrong', {
          minutes: Math.ceil((wait ?? 0) / 60),
        }),
      })
    }
    if (password !== again) {
      return await this.#refuse(ctx, 422, { password_again: site.text('passwords.differ') })
    }
    let hashed: string
    try {
      hashed = await site.adminUserService.hashPassword(password, user)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      return await this.#refuse(ctx, 422, { password: error.message })
    }
    const currentSession = signedIn.session
    const actor = adminActor(ctx)
    await replacePassword(site, user.id, hashed, {
      actor,
      origin: adminOrigin(ctx),
      currentSession,
    })
    await site.adminAuthentication.renew(ctx, signedIn)
    await redirectWithMessage(ctx, site.url('/account'), {
      kind: 'success',
      text: site.text('account.password.changed'),
    })
  }

  async #refuse(ctx: HttpContext, status: number, passwordErrors: Errors): Promise<string> {
    ctx.response.status(status)
    return await accountPage(this.site, ctx, { passwordErrors })
  }
}

/**
 * Ends other sessions of the signed-in user. Requires a recent reauthentication, so that the thief of one session
 * cannot end the owner's sessions. The current session ends by logging out.
 */
export class OwnSessionsController {
  constructor(private readonly site: Site & WithSessions) {}

  /** Ends the session that the form selects. Sessions of other users and ended sessions count as not found. */
  async end(ctx: HttpContext): Promise<void> {
    const { owner, session } = this.#proved(ctx)
    const id = singleText(sentTexts(ctx), 'id')
    const active = await this.site.sessionManager.activeOf(owner.id)
    const ending = active.find((one) => String(one.id) === id && one.id !== session.id)
    if (ending) await this.site.sessionManager.end(ending)
    await this.#done(ctx, ending ? 1 : 0)
  }

  async endOthers(ctx: HttpContext): Promise<void> {
    const { owner, session } = this.#proved(ctx)
    await this.#done(ctx, await this.site.sessionManager.endAllOf(owner.id, session))
  }

  /**
   * Returns the signed-in user with the session of the request.
   *
   * @throws ReauthenticationRequired  if the last authentication is not recent
   */
  #proved(ctx: HttpContext): SignedIn {
    requireProof(ctx, this.#page)
    return guardOf(ctx).signedInOrFail()
  }

  async #done(ctx: HttpContext, count: number): Promise<void> {
    const { site } = this
    if (count > 0) {
      site.logEvent(ctx, { type: EventType.LOGOUT, details: { ended_sessions: count } })
    }
    await redirectWithMessage(ctx, this.#page, {
      kind: count > 0 ? 'success' : 'error',
      text: site.text('account.sessions.ended', { count }),
    })
  }

  get #page(): string {
    return `${this.site.url('/account')}#sessions`
  }
}

/**
 * Returns how long the session of the request lasts. Like any other, this request counts as activity, unless it has the
 * parameter `?poll`.
 */
export class SessionRestController {
  constructor(private readonly authentication: AdminAuthentication) {}

  show(ctx: HttpContext): SessionRest {
    ctx.response.header('cache-control', 'no-store')
    return this.authentication.remaining(ctx, guardOf(ctx).signedInOrFail())
  }
}
