import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { isCrossSite } from '../authentication/cross_site.js'
import type { EventDetails } from '../events/event_integration.js'
import { EventType } from '../events/event_type.js'
import { SIGN_IN_REASONS } from '../http/errors.js'
import { returnPath } from '../http/return_path.js'

/**
 * The door: in, and out. [S21, S22, S23]
 */
export class LoginController {
  constructor(private readonly site: AdminSite) {}

  /**
   * The form; who is signed in already goes on to the dashboard. [S21]
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
   * Lets somebody in. Whatever is wrong, the answer is the same. [S22, B3, B8]
   */
  async submit(ctx: HttpContext) {
    /* The body alone: a password in an address would stand in every log. */
    const body = ctx.request.body()
    const username = textOf(body.username)
    const password = textOf(body.password)
    const next = returnPath(this.site, body.next)
    const { users, throttle } = this.site.adminAuthentication

    const wait = await throttle.attempt(username, ctx.request.ip())
    if (wait !== undefined) {
      ctx.logger.warn(
        { username: username.slice(0, 32), address: ctx.request.ip() },
        'Login refused: too many attempts'
      )
      this.#logFailure(ctx, username, 'too_many_attempts')
      ctx.response.status(429).header('retry-after', String(wait))
      const error = this.site.text('login.throttled', { minutes: Math.ceil(wait / 60) })
      return await this.#form(ctx, { error, username, next })
    }

    const user = await users.verify(username, password)
    const session = user && (await this.site.adminAuthentication.signIn(ctx, user))
    if (!session) {
      this.#logFailure(ctx, username, 'credentials')
      ctx.response.status(401)
      return await this.#form(ctx, { error: this.site.text('login.invalid'), username, next })
    }
    this.site.logEvent(ctx, { type: EventType.LOGIN, user, session })
    await throttle.clear(username, ctx.request.ip())
    return this.#goTo(ctx, next ?? this.site.url('/'))
  }

  /**
   * Lets somebody out. A link of another site only gets the question. [S23, B5]
   */
  async leave(ctx: HttpContext) {
    if (isCrossSite(ctx)) return await this.site.render(ctx, 'pages/confirm_logout')
    await this.site.adminAuthentication.signOut(ctx, ctx.auth.use('admin').signedIn!)
    this.site.logEvent(ctx, { type: EventType.LOGOUT })
    return this.#goTo(ctx, this.site.url('/login'))
  }

  /** The name as it was typed, be there such a user or not. Never the password. [E4] */
  #logFailure(ctx: HttpContext, username: string, reason: EventDetails['reason']) {
    this.site.logEvent(ctx, {
      type: EventType.FAILED_LOGIN,
      status: 'failure',
      typedName: username,
      details: { reason },
    })
  }

  #form(ctx: HttpContext, data: { error?: string | null; username?: string; next?: string }) {
    const { error = null, username = '', next = null } = data
    return this.site.render(ctx, 'pages/login', { error, username, next })
  }

  #goTo(ctx: HttpContext, path: string) {
    ctx.response.status(303).header('location', path).send('')
  }
}

/** A form may send a field several times; that is no name and no password. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
