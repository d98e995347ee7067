import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithNotices } from '../../notices/notices.js'
import { EventType } from '../../events/event_integration.js'
import { flashToNextPage } from '../../http/flash.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { returnPath } from '../../http/site_paths.js'
import { TRY_AGAIN_IN } from './work_queue.js'
import type { FactorResponse, ShownFactor } from '../factors/factors.js'
import { notifyOfFactors, kindsOf } from '../factors/factor_events.js'
import { Passkeys } from '../passkeys/passkeys.js'
import { countedAttempt, settleCount, whoIs } from './login_throttle.js'
import {
  firstStepOf,
  forgetFirstStep,
  hasFirstStep,
  useFirstStep,
  type FirstStep,
  leadsToDraft,
  type WithCookies,
} from './first_step.js'
import { redirect } from '../../http/redirect.js'

/** The second step of a login: a code of the authenticator app, a passkey, or a recovery code. */
export class SecondStepController {
  constructor(private readonly site: Site & WithAuthentication & WithNotices & WithCookies) {}

  /** Shows the form, or redirects to the login without a first step. */
  async show(ctx: HttpContext): Promise<unknown> {
    const step = await firstStepOf(ctx)
    if (!step) return this.#beginAnew(ctx)
    const { use, next } = ctx.request.qs()
    return await this.#form(ctx, step, {
      next: returnPath(this.site, next),
      usesRecovery: use === 'recovery',
    })
  }

  /** Logs the user in. Every failure gets the same response and counts as a failed login. */
  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const next = returnPath(this.site, singleText(texts, 'next'))
    const step = await firstStepOf(ctx)
    if (!step) return this.#beginAnew(ctx, next)
    const { user } = step
    const response = responseIn(texts)
    const form = { next, usesRecovery: response.recoveryCode !== undefined }
    const { throttle, factors } = this.site.adminAuthentication
    const address = ctx.request.ip()

    const counted = await countedAttempt(ctx, throttle, {
      username: user.username,
      count: () => throttle.attemptFactor(user, address),
      withdraw: () => throttle.withdrawFactor(user, address),
      compare: async () => {
        const passkey = singleText(texts, 'passkey')
        if (passkey !== undefined) return await this.#takePasskey(ctx, step, passkey)
        return { factor: await factors.take(user.id, response), isCloned: false }
      },
    })
    if ('wait' in counted) {
      ctx.logger.warn(whoIs(user.username, ctx), 'Login refused: too many attempts')
      ctx.response.status(429).header('retry-after', String(counted.wait))
      const minutes = Math.ceil(counted.wait / 60)
      const error = this.#text('login.throttled', { minutes })
      return await this.#form(ctx, step, { ...form, error })
    }
    if ('isBusy' in counted) {
      ctx.response.status(503).header('retry-after', String(TRY_AGAIN_IN))
      return await this.#form(ctx, step, { ...form, error: this.#text('login.busy') })
    }
    const { factor, isCloned } = counted.result
    if (factor) return await this.#signIn(ctx, step, factor, next)
    const kind = texts.has('passkey') ? 'passkey' : undefined
    return await this.#fail(ctx, step, { ...form, kind, isCloned })
  }

  async #takePasskey(ctx: HttpContext, { id, user }: FirstStep, sent: string) {
    const terms = { purpose: 'second_step', within: id, userId: user.id } as const
    const { outcome } = await new Passkeys(this.site).take(ctx, sent, terms)
    const factor: ShownFactor | null = outcome === 'good' ? 'passkey' : null
    return { factor, isCloned: outcome === 'cloned' }
  }

  async #fail(
    ctx: HttpContext,
    step: FirstStep,
    form: { next?: string; usesRecovery: boolean; kind?: 'passkey'; isCloned: boolean }
  ) {
    const { user } = step
    ctx.logger.warn(whoIs(user.username, ctx), 'Login failed: second step')
    this.site.logEvent(ctx, {
      type: EventType.FAILED_LOGIN,
      status: 'failure',
      user,
      details: { reason: form.isCloned ? 'passkey_cloned' : 'second_factor' },
    })
    await notifyOfFactors(ctx, this.site, user, 'second_step_failed')
    ctx.response.status(401)
    const code = form.usesRecovery ? 'login.second.wrongRecovery' : 'login.second.wrong'
    const text = form.kind ? 'passkeys.wrong' : code
    return await this.#form(ctx, step, { ...form, error: this.#text(text), isTyped: !form.kind })
  }

  async #signIn(ctx: HttpContext, step: FirstStep, factor: ShownFactor, next?: string) {
    const { adminAuthentication } = this.site
    const { throttle, factors } = adminAuthentication
    const { user } = step
    const isFresh = await useFirstStep(step)
    const session =
      isFresh && (await adminAuthentication.signIn(ctx, user, { hasShownFactor: true }))
    if (!session) return this.#beginAnew(ctx, next)
    forgetFirstStep(ctx, this.site)
    ctx.logger.info(whoIs(user.username, ctx), 'Logged in')
    this.site.logEvent(ctx, { type: EventType.LOGIN, user, session, details: { factor } })
    await settleCount(ctx, throttle.succeedWithFactor(user, ctx.request.ip()))
    if (factor === 'recovery_code') {
      await notifyOfFactors(ctx, this.site, user, 'recovery_code_used')
      const left = await factors.recoveryCodesLeft(user.id)
      await flashToNextPage(ctx, {
        kind: 'success',
        text: this.#text('login.second.left', { left }),
      })
    }
    return redirect(ctx, next ?? this.site.url('/'))
  }

  #beginAnew(ctx: HttpContext, next?: string) {
    const reason = hasFirstStep(ctx) ? 'again' : 'required'
    forgetFirstStep(ctx, this.site)
    const query = new URLSearchParams({ error: reason, ...(next && { next }) })
    return redirect(ctx, `${this.site.url('/login')}?${query}`)
  }

  async #form(
    ctx: HttpContext,
    { user }: FirstStep,
    data: { error?: string; isTyped?: boolean; next?: string; usesRecovery: boolean }
  ) {
    const { error = null, isTyped = false, next = null, usesRecovery } = data
    const query = (use?: string) => {
      const text = new URLSearchParams({ ...(use && { use }), ...(next && { next }) }).toString()
      return this.site.url('/login/second') + (text && `?${text}`)
    }
    const kinds = await kindsOf(this.site, ctx, user.id)
    return await this.site.render(ctx, 'pages/login_second', {
      ...kinds,
      notice: isTyped ? null : error,
      error: isTyped ? error : null,
      next,
      usesRecovery,
      isKept: leadsToDraft(next),
      urls: { code: query(), recovery: query('recovery') },
    })
  }

  #text(key: string, data?: Record<string, unknown>): string {
    return this.site.text(key, data)
  }
}

/** Returns the submitted fields of the form for a second factor. */
export function responseIn(texts: Map<string, string[]>): FactorResponse {
  const recoveryCode = singleText(texts, 'recovery_code')
  return recoveryCode === undefined ? { code: singleText(texts, 'code') ?? '' } : { recoveryCode }
}
