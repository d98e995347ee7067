import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { AdminSite } from '../../admin_site.js'
import { isForeignLink } from '#crud/internals'
import { EventType } from '../../events/event_type.js'
import { loggable } from '../../text/plain_text.js'
import type AdminUser from '../../models/admin_user.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { returnPath } from '../../http/return_path.js'
import { QueueFull, TRY_AGAIN_IN, SIGN_IN_REASONS } from '../../errors.js'

/**
 * Sign-in and sign-out. [S21, S22, S23]
 */
export class LoginController {
  constructor(private readonly site: AdminSite) {}

  /**
   * Shows the login form; a signed-in user is redirected to the dashboard. [S21]
   */
  async show(ctx: HttpContext) {
    if (await ctx.auth.use('admin').check()) return this.#goTo(ctx, this.site.url('/'))
    const reason = SIGN_IN_REASONS.find((code) => code === ctx.request.qs().error)
    return await this.#form(ctx, {
      error: reason ? this.site.text(`login.${reason}`) : null,
      next: returnPath(this.site, ctx.request.qs().next),
    })
  }

  /**
   * Refuses a throttled address before the body is read. [B8]
   */
  async admit(ctx: HttpContext, next: NextFn) {
    /* If the count can't be read, `submit` reports it. */
    const counted = this.site.adminAuthentication.throttle.waitOf(ctx.request.ip())
    const wait = await counted.catch(() => 0)
    if (wait === 0) return await next()
    ctx.response.send(await this.#throttled(ctx, '', wait))
  }

  /**
   * Signs the user in. Every failure gets the same response. [S22, B3, B8]
   */
  async submit(ctx: HttpContext) {
    /* Reads the body only: a password in the query string would appear in access logs. */
    const texts = sentTexts(ctx)
    const username = singleText(texts, 'username') ?? ''
    const password = singleText(texts, 'password') ?? ''
    const next = returnPath(this.site, singleText(texts, 'next'))
    const { throttle } = this.site.adminAuthentication
    const address = ctx.request.ip()
    const who = whoIs(username, ctx)

    let wait: number | undefined
    try {
      wait = await throttle.attempt(username, address)
    } catch (error) {
      /* Without a count, passwords could be guessed without limit. */
      ctx.logger.error({ ...who, reason: reasonOf(error) }, 'Login refused: it can not be counted')
      return await this.#busy(ctx, { username, next })
    }
    if (wait !== undefined) {
      return await this.#throttled(ctx, username, wait, next)
    }

    let user: AdminUser | null
    try {
      await throttle.slowDown(username)
      user = await this.site.adminUserService.verify(username, password)
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error
      await this.#settle(ctx, throttle.withdraw(username, address))
      ctx.logger.warn(who, 'Login refused: too many others are being checked')
      return await this.#busy(ctx, { username, next })
    }
    const session = user && (await this.site.adminAuthentication.signIn(ctx, user))
    if (!user || !session) {
      ctx.logger.warn(who, 'Login failed')
      this.#logFailure(ctx, username)
      ctx.response.status(401)
      return await this.#form(ctx, { error: this.site.text('login.invalid'), username, next })
    }
    ctx.logger.info(who, 'Logged in')
    this.site.logEvent(ctx, { type: EventType.LOGIN, user, session })
    await this.#settle(ctx, throttle.succeed(username, address))
    return this.#goTo(ctx, next ?? this.site.url('/'))
  }

  /**
   * Signs the user out. A cross-site link shows a confirmation page first. [S23, B5]
   */
  async leave(ctx: HttpContext) {
    if (isForeignLink(ctx)) return await this.site.render(ctx, 'pages/confirm_logout')
    const signedIn = ctx.auth.use('admin').signedIn!
    await this.site.adminAuthentication.signOut(ctx, signedIn)
    ctx.logger.info(whoIs(signedIn.owner.user.username, ctx), 'Logged out')
    this.site.logEvent(ctx, { type: EventType.LOGOUT })
    /* Mainly removes pages from the back/forward cache. Cookies and storage belong to the whole
     * host, including other applications, so the site's cookies are cleared by name. */
    ctx.response.header('clear-site-data', '"cache"')
    return this.#goTo(ctx, this.site.url('/login'))
  }

  /**
   * Logs the name as typed, whether or not the user exists, and never the password. Throttled
   * attempts go to the application's log only, so that strangers can't fill the table. [E2, E4]
   */
  #logFailure(ctx: HttpContext, username: string) {
    this.site.logEvent(ctx, {
      type: EventType.FAILED_LOGIN,
      status: 'failure',
      typedName: username,
      details: { reason: 'credentials' },
    })
  }

  /** At worst, a failed update leaves the count too high until `login.withinMinutes` are over. */
  async #settle(ctx: HttpContext, counting: Promise<void>) {
    await counting.catch((error) =>
      ctx.logger.error({ reason: reasonOf(error) }, 'A login could not be taken off the count')
    )
  }

  #throttled(ctx: HttpContext, username: string, wait: number, next?: string) {
    ctx.logger.warn(whoIs(username, ctx), 'Login refused: too many attempts')
    ctx.response.status(429).header('retry-after', String(wait))
    const error = this.site.text('login.throttled', { minutes: Math.ceil(wait / 60) })
    return this.#form(ctx, { error, username, next })
  }

  /** Responds with 503: the password can't be checked at the moment. */
  #busy(ctx: HttpContext, data: { username: string; next?: string }) {
    ctx.response.status(503).header('retry-after', String(TRY_AGAIN_IN))
    return this.#form(ctx, { ...data, error: this.site.text('login.busy') })
  }

  #form(ctx: HttpContext, data: { error?: string | null; username?: string; next?: string }) {
    const { error = null, username = '', next = null } = data
    return this.site.render(ctx, 'pages/login', { error, username, next })
  }

  #goTo(ctx: HttpContext, path: string) {
    ctx.response.status(303).header('location', path).send('')
  }
}

/**
 * Log fields of the attempt: user names have at most 32 characters, so a longer text is not logged.
 */
function whoIs(username: string, { request }: HttpContext) {
  return { username: loggable(username.slice(0, 32)), address: request.ip() }
}

/** Error message without the statement or command, which may be long. */
function reasonOf(error: unknown): string {
  return String((error as Error).message)
    .split('\n', 1)[0]
    .slice(0, 300)
}
