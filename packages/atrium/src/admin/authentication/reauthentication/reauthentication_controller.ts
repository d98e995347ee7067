import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithNotices } from '../../notices/notices.js'
import type { WithCookies } from '../login/first_step.js'
import type { WithSessions } from '../sessions/session_manager.js'
import type { WithSso } from '../sso/sso.js'
import { TRY_AGAIN_IN } from '../login/work_queue.js'
import { EventType } from '../../events/event_integration.js'
import { flashToNextPage } from '../../http/flash.js'
import { exactText, sentTexts, singleText } from '../../http/form_texts.js'
import { returnPath } from '../../http/site_paths.js'
import { kindsOf } from '../factors/factor_events.js'
import type { ShownFactor } from '../factors/factors.js'
import { hasPassword } from '../passwords/password_rules.js'
import { countedAttempt, settleCount, whoIs } from '../login/login_throttle.js'
import { Passkeys } from '../passkeys/passkeys.js'
import { isRecentlyProved } from '../../identity/proof.js'
import { guardOf } from '../../identity/admin_guard.js'
import { redirect } from '../../http/redirect.js'

interface FormData {
  error?: string
  /** True if the error concerns the submitted value. Default: false */
  isTyped?: boolean
  next: string | undefined
  /** True if a request was rejected and has to be repeated afterwards */
  isRefused: boolean
  usesCode: boolean
  usesPasskey?: boolean
}

/**
 * Page where a signed-in user authenticates again with the password, a code or a passkey, before the browser is
 * redirected back.
 */
export class ReauthenticationController {
  constructor(
    private readonly site: Site &
      WithAuthentication &
      WithNotices &
      WithCookies &
      WithSessions &
      WithSso
  ) {}

  async show(ctx: HttpContext): Promise<unknown> {
    const { session } = guardOf(ctx).signedInOrFail()
    const { next, refused, use } = ctx.request.qs()
    const path = this.#next(next)
    if (isRecentlyProved(session)) return redirect(ctx, path ?? this.site.url('/'))
    return await this.#form(ctx, {
      next: path,
      isRefused: refused !== undefined,
      usesCode: use === 'code',
    })
  }

  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const signedIn = guardOf(ctx).signedInOrFail()
    const { owner, session } = signedIn
    const code = singleText(texts, 'code')
    const form: FormData = {
      next: this.#next(singleText(texts, 'next')),
      isRefused: texts.has('refused'),
      usesCode: code !== undefined,
      usesPasskey: texts.has('passkey'),
    }
    const isFactor = form.usesCode || form.usesPasskey
    const { throttle } = this.site.adminAuthentication
    const address = ctx.request.ip()
    const { username } = owner

    const counted = await countedAttempt(ctx, throttle, {
      username,
      count: () =>
        isFactor ? throttle.attemptFactor(owner, address) : throttle.attempt(username, address),
      withdraw: () =>
        isFactor ? throttle.withdrawFactor(owner, address) : throttle.withdraw(username, address),
      compare: () =>
        form.usesPasskey
          ? this.#comparePasskey(ctx, singleText(texts, 'passkey') ?? '')
          : this.#compare(owner, code, exactText(texts, 'password') ?? ''),
    })
    if ('wait' in counted) {
      ctx.logger.warn(whoIs(username, ctx), 'Login refused: too many attempts')
      ctx.response.status(429).header('retry-after', String(counted.wait))
      const minutes = Math.ceil(counted.wait / 60)
      return await this.#form(ctx, { ...form, error: this.#text('login.throttled', { minutes }) })
    }
    if ('isBusy' in counted) {
      ctx.response.status(503).header('retry-after', String(TRY_AGAIN_IN))
      return await this.#form(ctx, { ...form, error: this.#text('login.busy') })
    }
    const shown = counted.result
    if (shown === null) return await this.#fail(ctx, form)
    await this.site.sessionManager.prove(session)
    /* With a new id and token, the reauthentication is useless to a thief who copied the cookies before. */
    await this.site.adminAuthentication.renew(ctx, signedIn)
    const factor = shown === 'password' ? undefined : shown
    this.site.logEvent(ctx, {
      type: EventType.VIEW,
      details: { page: 'proof', ...(factor && { factor }) },
    })
    await settleCount(
      ctx,
      isFactor ? throttle.succeedWithFactor(owner, address) : throttle.succeed(username, address)
    )
    if (form.isRefused) {
      await flashToNextPage(ctx, { kind: 'success', text: this.#text('reauthentication.again') })
    }
    return redirect(ctx, form.next ?? this.site.url('/'))
  }

  async #compare(
    { id, username }: { id: number; username: string },
    code: string | undefined,
    password: string
  ): Promise<ShownFactor | 'password' | null> {
    const { factors, users } = this.site.adminAuthentication
    if (code !== undefined) return await factors.take(id, { code })
    if (this.site.sso?.config.passwords === false) return null
    const user = await users.verify(username, password)
    return user?.id === id ? 'password' : null
  }

  async #comparePasskey(ctx: HttpContext, sent: string): Promise<ShownFactor | null> {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const terms = { purpose: 'proof', within: String(session.id), userId: owner.id } as const
    const { outcome } = await new Passkeys(this.site).take(ctx, sent, terms)
    return outcome === 'good' ? 'passkey' : null
  }

  async #fail(ctx: HttpContext, form: FormData) {
    const { owner } = guardOf(ctx).signedInOrFail()
    ctx.logger.warn(whoIs(owner.username, ctx), 'Login failed: reauthentication')
    this.site.logEvent(ctx, {
      type: EventType.FAILED_LOGIN,
      status: 'failure',
      details: { reason: 'proof' },
    })
    ctx.response.status(401)
    const typed = form.usesCode ? 'login.second.wrong' : 'reauthentication.wrong'
    const text = form.usesPasskey ? 'passkeys.wrong' : typed
    const isTyped = !form.usesPasskey
    return await this.#form(ctx, { ...form, error: this.#text(text), isTyped })
  }

  async #form(ctx: HttpContext, { error = '', isTyped, next, isRefused, usesCode }: FormData) {
    const { owner } = guardOf(ctx).signedInOrFail()
    const { sso } = this.site
    const { hasApp, hasPasskey } = await kindsOf(this.site, ctx, owner.id)
    const identities = (await sso?.identities.of(owner.id)) ?? []
    const takesPassword = (sso?.config.passwords ?? true) && hasPassword(owner.user)
    const query = (use?: string) =>
      `${this.site.url('/reauthenticate')}?${new URLSearchParams({
        ...(use && { use }),
        ...(next && { next }),
        ...(isRefused && { refused: '1' }),
      })}`
    return await this.site.render(ctx, 'pages/reauthenticate', {
      notice: isTyped ? null : error || null,
      error: isTyped ? error : null,
      next: next ?? null,
      isRefused,
      hasApp,
      hasPasskey,
      usesCode: hasApp && (usesCode || !takesPassword),
      takesPassword,
      sso:
        sso && identities.length > 0
          ? { label: sso.config.label, url: sso.url({ for: 'proof', next }) }
          : null,
      username: owner.username,
      urls: { code: query('code'), password: query(), back: this.site.url('/') },
    })
  }

  #next(wanted: unknown): string | undefined {
    return returnPath(this.site, wanted, ['/login', '/logout', '/reauthenticate'])
  }

  #text(key: string, data?: Record<string, unknown>): string {
    return this.site.text(key, data)
  }
}
