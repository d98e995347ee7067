import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import { TRY_AGAIN_IN } from '../../errors.js'
import { EventType } from '../../events/event_integration.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { returnPath } from '../../http/site_paths.js'
import { countedAttempt, settleCount, whoIs } from '../login/counted_attempt.js'
import { firstStepOf, forgetFirstStep, loginForm } from '../login/first_step.js'
import { Passkeys } from './passkeys.js'
import { guardOf } from '../sessions/admin_guard.js'

/**
 * Logins by a passkey alone, and the options that browsers need to ask for one. [U9]
 */
export class PasskeyLoginController {
  readonly #passkeys: Passkeys

  constructor(private readonly site: AdminSite) {
    this.#passkeys = new Passkeys(site)
  }

  async loginOptions(ctx: HttpContext) {
    return ctx.response.json(await this.#passkeys.requestOptions(ctx, { purpose: 'login' }))
  }

  /**
   * @throws Problem  with status 401 without the first step of a login
   */
  async secondStepOptions(ctx: HttpContext) {
    const step = await firstStepOf(ctx)
    if (!step) throw new Problem(401, this.site.text('login.again'))
    const { id, user } = step
    const terms = { purpose: 'second_step', within: id, userId: user.id } as const
    return ctx.response.json(await this.#passkeys.requestOptions(ctx, terms))
  }

  async proofOptions(ctx: HttpContext) {
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const terms = { purpose: 'proof', within: String(session.id), userId: owner.id } as const
    return ctx.response.json(await this.#passkeys.requestOptions(ctx, terms))
  }

  /**
   * Signs in whose passkey it is. Every failure gets the same response, also that of an unknown one. [B3, B8]
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const next = returnPath(this.site, singleText(texts, 'next'))
    /* With the provider alone, it says who can still log in. [U15] */
    if (this.site.sso?.config.passwords === false) {
      ctx.response.status(403)
      return await this.#form(ctx, this.site.text('login.noPasswords'), next)
    }
    const { adminAuthentication } = this.site
    const { throttle } = adminAuthentication
    const address = ctx.request.ip()
    /* Nobody is named yet. Under one name for all, anonymous users could slow down everybody's passkeys. */
    const name = `(passkey) ${address}`

    const counted = await countedAttempt(ctx, throttle, {
      username: name,
      count: () => throttle.attempt(name, address),
      withdraw: () => throttle.withdraw(name, address),
      compare: () =>
        this.#passkeys.take(ctx, singleText(texts, 'passkey') ?? '', { purpose: 'login' }),
    })
    if ('wait' in counted) {
      ctx.logger.warn(whoIs(name, ctx), 'Login refused: too many attempts')
      ctx.response.status(429).header('retry-after', String(counted.wait))
      const minutes = Math.ceil(counted.wait / 60)
      return await this.#form(ctx, this.site.text('login.throttled', { minutes }), next)
    }
    if ('isBusy' in counted) {
      ctx.response.status(503).header('retry-after', String(TRY_AGAIN_IN))
      return await this.#form(ctx, this.site.text('login.busy'), next)
    }
    const { outcome, user } = counted.result
    const session =
      outcome === 'good' && user
        ? await adminAuthentication.signIn(ctx, user, { hasShownFactor: true })
        : null
    if (!user || !session) {
      ctx.logger.warn(whoIs(user?.username ?? name, ctx), 'Login failed: passkey')
      this.site.logEvent(ctx, {
        type: EventType.FAILED_LOGIN,
        status: 'failure',
        ...(user ? { user } : { typedName: '' }),
        details: { reason: outcome === 'cloned' ? 'passkey_cloned' : 'passkey' },
      })
      ctx.response.status(401)
      return await this.#form(ctx, this.site.text('passkeys.wrong'), next)
    }
    forgetFirstStep(ctx, this.site)
    ctx.logger.info(whoIs(user.username, ctx), 'Logged in')
    const details = { factor: 'passkey' } as const
    this.site.logEvent(ctx, { type: EventType.LOGIN, user, session, details })
    await settleCount(ctx, throttle.succeed(name, address))
    return ctx.response
      .status(303)
      .header('location', next ?? this.site.url('/'))
      .send('')
  }

  #form(ctx: HttpContext, error: string, next: string | undefined) {
    return loginForm(this.site, ctx, { error, next })
  }
}
