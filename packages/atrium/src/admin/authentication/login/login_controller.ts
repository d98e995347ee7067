import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { Site } from '../../views/site.js'
import type { WithUsers } from '../admin_user_service.js'
import type { WithSso } from '../sso/sso.js'
import { Problem } from '#crud'
import { isForeignLink } from '#base/http/cross_site'
import { sendProblem } from '#base/http/send_problem'
import { EventType } from '../../events/event_integration.js'
import type AdminUser from '../../models/admin_user.js'
import { exactText, sentTexts, singleText } from '../../http/form_texts.js'
import { returnPath } from '../../http/site_paths.js'
import { wantsJson } from '../../http/read_body.js'
import { TRY_AGAIN_IN } from './work_queue.js'
import { SIGN_IN_REASONS } from '../../identity/errors.js'
import type { SignedIn, WithAuthentication } from '../admin_authentication.js'
import { idTokenOf } from '../sso/sso_session.js'
import { countedAttempt, settleCount, whoIs } from './login_throttle.js'
import { keepFirstStep, loginForm, type WithCookies } from './first_step.js'
import { guardOf } from '../../identity/admin_guard.js'
import { redirect, redirectToProvider } from '../../http/redirect.js'

/** Sign-in and sign-out. */
export class LoginController {
  constructor(
    private readonly site: Site & WithAuthentication & WithUsers & WithCookies & WithSso
  ) {}

  /** Shows the login form; a signed-in user is redirected to the dashboard. */
  async show(ctx: HttpContext) {
    if (await guardOf(ctx).checkWithoutFactor()) {
      return redirect(ctx, this.site.url('/'))
    }
    const reason = SIGN_IN_REASONS.find((code) => code === ctx.request.qs().error)
    const text = reason ? this.site.text(`login.${reason}`) : null
    return await this.#form(ctx, {
      [reason?.startsWith('sso_') ? 'error' : 'notice']: text,
      next: returnPath(this.site, ctx.request.qs().next),
      done: ctx.request.qs().done === 'password' ? this.site.text('login.passwordSet') : null,
    })
  }

  /** Rejects a throttled address before the body is read. */
  async admit(ctx: HttpContext, next: NextFn) {
    /* If the count cannot be read, `submit` reports the error. */
    const counted = this.site.adminAuthentication.throttle.waitOf(ctx.request.ip())
    const wait = await counted.catch(() => 0)
    if (wait === 0) return await next()
    ctx.response.send(await this.#throttled(ctx, '', wait))
  }

  /** Logs the user in. Every failure gets the same response. */
  async submit(ctx: HttpContext) {
    /* Reads the body only: a password in the query string would appear in access logs. */
    const texts = sentTexts(ctx)
    const username = singleText(texts, 'username') ?? ''
    const password = exactText(texts, 'password') ?? ''
    const next = returnPath(this.site, singleText(texts, 'next'))
    if (this.site.sso?.config.passwords === false) {
      ctx.response.status(403)
      return await this.#form(ctx, { error: this.site.text('login.noPasswords'), next })
    }
    const { throttle, factors } = this.site.adminAuthentication
    const address = ctx.request.ip()
    const who = whoIs(username, ctx)

    const counted = await countedAttempt(ctx, throttle, {
      username,
      count: () => throttle.attempt(username, address),
      withdraw: () => throttle.withdraw(username, address),
      compare: () => this.site.adminUserService.verify(username, password),
    })
    if ('wait' in counted) return await this.#throttled(ctx, username, counted.wait, next)
    if ('isBusy' in counted) return await this.#busy(ctx, { username, next })
    const user = counted.result
    if (user && (await factors.has(user.id))) return await this.#goToSecondStep(ctx, user, next)
    const session = user && (await this.site.adminAuthentication.signIn(ctx, user))
    if (!user || !session) {
      ctx.logger.warn(who, 'Login failed')
      this.#logFailure(ctx, username)
      ctx.response.status(401)
      return await this.#form(ctx, { error: this.site.text('login.invalid'), username, next })
    }
    ctx.logger.info(who, 'Logged in')
    this.site.logEvent(ctx, { type: EventType.LOGIN, user, session })
    await settleCount(ctx, throttle.succeed(username, address))
    return redirect(ctx, next ?? this.site.url('/'))
  }

  /**
   * Continues with the second step after a correct password. The step does not count as a failure, and does not reset
   * the failures of the name: otherwise an attacker with the password could guess codes without limit.
   */
  async #goToSecondStep(ctx: HttpContext, user: AdminUser, next: string | undefined) {
    const { throttle } = this.site.adminAuthentication
    await settleCount(ctx, throttle.withdraw(user.username, ctx.request.ip()))
    keepFirstStep(ctx, this.site, user)
    const path = this.site.url('/login/second')
    if (wantsJson(ctx)) {
      const message = this.site.text('login.second.program', { path })
      const errors = [{ field: 'code', rule: 'second_factor_required', message }]
      return sendProblem(ctx, new Problem(401, message, { errors, refusal: null }))
    }
    return redirect(ctx, next ? `${path}?${new URLSearchParams({ next })}` : path)
  }

  /** Signs the user out. A cross-site link shows a confirmation page first. */
  async leave(ctx: HttpContext) {
    if (isForeignLink(ctx)) return await this.site.render(ctx, 'pages/confirm_logout')
    const signedIn = guardOf(ctx).signedIn!
    await this.site.adminAuthentication.signOut(ctx, signedIn)
    ctx.logger.info(whoIs(signedIn.owner.user.username, ctx), 'Logged out')
    this.site.logEvent(ctx, { type: EventType.LOGOUT })
    /*
     * Mainly removes pages from the browser's back/forward cache. Cookies and storage belong to the whole host,
     * including other applications, so the site's cookies are cleared by name.
     */
    ctx.response.header('clear-site-data', '"cache"')
    const elsewhere = await this.#providersLogout(signedIn)
    return elsewhere ? redirectToProvider(ctx, elsewhere) : redirect(ctx, this.site.url('/login'))
  }

  /** Returns the URL that also ends the session at the provider of single sign-on, or null. */
  async #providersLogout({ session }: SignedIn): Promise<string | null> {
    const { sso } = this.site
    const idToken = sso && idTokenOf(session)
    return idToken ? await sso.provider.endSessionUrl(idToken, sso.loggedOutUrl) : null
  }

  /**
   * Logs the name as typed, whether or not the user exists, and never the password. Throttled attempts are logged as
   * refusals, so that anonymous users cannot fill the table.
   */
  #logFailure(ctx: HttpContext, username: string) {
    this.site.logEvent(ctx, {
      type: EventType.FAILED_LOGIN,
      status: 'failure',
      typedName: username,
      details: { reason: 'credentials' },
    })
  }

  #throttled(ctx: HttpContext, username: string, wait: number, next?: string) {
    ctx.logger.warn(whoIs(username, ctx), 'Login refused: too many attempts')
    ctx.response.status(429).header('retry-after', String(wait))
    const error = this.site.text('login.throttled', { minutes: Math.ceil(wait / 60) })
    return this.#form(ctx, { error, username, next })
  }

  /** Responds with 503, because the password cannot be checked at the moment. */
  #busy(ctx: HttpContext, data: { username: string; next?: string }) {
    ctx.response.status(503).header('retry-after', String(TRY_AGAIN_IN))
    return this.#form(ctx, { ...data, error: this.site.text('login.busy') })
  }

  #form(ctx: HttpContext, data: Parameters<typeof loginForm>[2]) {
    return loginForm(this.site, ctx, data)
  }
}
