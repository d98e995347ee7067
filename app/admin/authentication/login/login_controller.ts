import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { AdminSite } from '../../admin_site.js'
import { isForeignLink } from '#crud/http/cross_site'
import { QueueFull, TRY_AGAIN_IN } from './work_queue.js'
import { EventType } from '../../events/event_type.js'
import { loggable } from '../../text/plain_text.js'
import type AdminUser from '../../models/admin_user.js'
import { SIGN_IN_REASONS } from '../../http/errors.js'
import { returnPath } from '../../http/return_path.js'

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
   * Whoever has to wait is told so before anything is read of what they send. [B8]
   */
  async admit(ctx: HttpContext, next: NextFn) {
    /* Where it can't be counted, `submit` says so. */
    const counted = this.site.adminAuthentication.throttle.waitOf(ctx.request.ip())
    const wait = await counted.catch(() => 0)
    if (wait === 0) return await next()
    ctx.response.send(await this.#throttled(ctx, '', wait))
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
    const { throttle } = this.site.adminAuthentication
    const address = ctx.request.ip()
    const who = whoIs(username, ctx)

    let wait: number | undefined
    try {
      wait = await throttle.attempt(username, address)
    } catch (error) {
      /* Whoever can't be counted could guess without end. */
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
   * Lets somebody out. A link of another site only gets the question. [S23, B5]
   */
  async leave(ctx: HttpContext) {
    if (isForeignLink(ctx)) return await this.site.render(ctx, 'pages/confirm_logout')
    const signedIn = ctx.auth.use('admin').signedIn!
    await this.site.adminAuthentication.signOut(ctx, signedIn)
    ctx.logger.info(whoIs(signedIn.owner.user.username, ctx), 'Logged out')
    this.site.logEvent(ctx, { type: EventType.LOGOUT })
    /* Pages that are kept for going back, above all. Cookies and storage are the whole host's, and so
     * other applications', too: ours are cleared by name. */
    ctx.response.header('clear-site-data', '"cache"')
    return this.#goTo(ctx, this.site.url('/login'))
  }

  /**
   * The name as it was typed, be there such a user or not. Never the password. What is refused unread
   * stands in the application's log alone, or strangers could fill the table without end. [E2, E4]
   */
  #logFailure(ctx: HttpContext, username: string) {
    this.site.logEvent(ctx, {
      type: EventType.FAILED_LOGIN,
      status: 'failure',
      typedName: username,
      details: { reason: 'credentials' },
    })
  }

  /** The worst that can come of it is a count that is too high, for a quarter of an hour. */
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

  /** The server can't say yet whether the password is right. */
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

/** For the log: a name has 32 letters, so what is longer is none. */
function whoIs(username: string, { request }: HttpContext) {
  return { username: loggable(username.slice(0, 32)), address: request.ip() }
}

/** Without the statement or the command, which may be long. */
function reasonOf(error: unknown): string {
  return String((error as Error).message)
    .split('\n', 1)[0]
    .slice(0, 300)
}

/** A form may send a field several times; that is no name and no password. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
