import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithNotices } from '../../notices/notices.js'
import type { WithSso } from '../sso/sso.js'
import { PageNotFound } from '../../http/errors.js'
import { TRY_AGAIN_IN } from '../login/work_queue.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { isolated } from '../../text/plain_text.js'
import AdminFactor from '../../models/admin_factor.js'
import { recoveryCodesPage, logFactors, notifyOfFactors } from '../factors/factor_events.js'
import { requireProof } from '../../identity/proof.js'
import { deviceName } from '../../text/device_name.js'
import { guardOf } from '../../identity/admin_guard.js'
import { EventType } from '../../events/event_integration.js'
import { returnPath } from '../../http/site_paths.js'
import { countedAttempt, settleCount, whoIs } from '../login/login_throttle.js'
import { firstStepOf, forgetFirstStep, loginForm, type WithCookies } from '../login/first_step.js'
import { Passkeys } from './passkeys.js'
import { relyingPartyOf } from './relying_party.js'
import { redirectWithMessage, redirect } from '../../http/redirect.js'

const LONGEST_NAME = 64

const PATH = '/account/factors/passkeys'

/**
 * Passkeys of the signed-in user: adding one, which requires a recent reauthentication, and renaming factors.
 */
export class PasskeysController {
  readonly #passkeys: Passkeys

  constructor(private readonly site: Site & WithAuthentication & WithNotices & WithCookies) {
    this.#passkeys = new Passkeys(site)
  }

  async show(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx)
    if (!relyingPartyOf(ctx)) throw new PageNotFound()
    const name = deviceName(ctx.request.header('user-agent') ?? null)
    return await this.#page(ctx, { name: name ?? this.site.text('passkeys.one') })
  }

  async options(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx, this.site.url(PATH))
    return ctx.response.json(await this.#passkeys.creationOptions(ctx))
  }

  async enrol(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx, this.site.url(PATH))
    const { site } = this
    const { owner } = guardOf(ctx).signedInOrFail()
    const texts = sentTexts(ctx)
    const name = nameIn(texts) || site.text('passkeys.one')
    const sent = singleText(texts, 'passkey') ?? ''
    const added = await this.#passkeys.enrol(ctx, { sent, name })
    if (!added) {
      ctx.response.status(422)
      return await this.#page(ctx, { name, error: site.text('passkeys.refused') })
    }
    logFactors(ctx, site, owner.id, 'added')
    await notifyOfFactors(ctx, site, owner, 'factor_added', name)
    if (added.codes) return await recoveryCodesPage(ctx, site, added.codes, { isFirst: true })
    const text = site.text('passkeys.added', { name: isolated(name) })
    return await this.#goToAccount(ctx, text)
  }

  async askName(ctx: HttpContext): Promise<unknown> {
    const factor = await this.#find(ctx)
    return await this.#namePage(ctx, factor)
  }

  async rename(ctx: HttpContext): Promise<unknown> {
    const factor = await this.#find(ctx)
    const name = nameIn(sentTexts(ctx))
    if (name === '') {
      ctx.response.status(422)
      return await this.#namePage(ctx, factor, this.site.text('passkeys.nameMissing'))
    }
    await AdminFactor.query().where('id', factor.id).update({ name })
    logFactors(ctx, this.site, factor.userId, 'renamed')
    return await this.#goToAccount(ctx, this.site.text('passkeys.renamed'))
  }

  async #page(ctx: HttpContext, { name, error = null }: { name: string; error?: string | null }) {
    const { lacksFactor } = guardOf(ctx).signedInOrFail()
    const { site } = this
    return await site.render(ctx, 'pages/passkey_new', {
      name,
      error,
      isForced: lacksFactor === true,
      longest: LONGEST_NAME,
      urls: {
        submit: site.url(PATH),
        options: site.url(`${PATH}/options`),
        back: site.url(lacksFactor ? '/account/factors/totp' : '/account'),
      },
    })
  }

  async #namePage(ctx: HttpContext, factor: { id: number; name: string }, error?: string) {
    return await this.site.render(ctx, 'pages/factor_name', {
      name: factor.name,
      error: error ?? null,
      longest: LONGEST_NAME,
      urls: {
        submit: this.site.url(`/account/factors/${factor.id}/name`),
        back: this.site.url('/account'),
      },
    })
  }

  /** Finds a passkey of the signed-in user. Other factors, and those of other users, count as not found. */
  async #find(ctx: HttpContext) {
    const { owner } = guardOf(ctx).signedInOrFail()
    const factors = await this.site.adminAuthentication.factors.of(owner.id)
    const factor = factors.find(
      ({ id, kind }) => kind === 'passkey' && String(id) === ctx.params.id
    )
    if (!factor) throw new PageNotFound()
    return factor
  }

  async #goToAccount(ctx: HttpContext, text: string): Promise<void> {
    const location = `${this.site.url('/account')}#second-factors`
    await redirectWithMessage(ctx, location, { kind: 'success', text })
  }
}

function nameIn(texts: Map<string, string[]>): string {
  const name = singleText(texts, 'name') ?? ''
  return [...name.toWellFormed().replace(/\p{Cc}/gu, ' ')].slice(0, LONGEST_NAME).join('').trim()
}

/** Logins with a passkey only, and the options that browsers need to request a passkey. */
export class PasskeyLoginController {
  readonly #passkeys: Passkeys

  constructor(
    private readonly site: Site & WithAuthentication & WithNotices & WithCookies & WithSso
  ) {
    this.#passkeys = new Passkeys(site)
  }

  async loginOptions(ctx: HttpContext) {
    return ctx.response.json(await this.#passkeys.requestOptions(ctx, { purpose: 'login' }))
  }

  /** @throws Problem  with status 401 if the login has no first step */
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
   * Logs in the owner of the passkey. Every failure gets the same response, including that of an unknown passkey.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const next = returnPath(this.site, singleText(texts, 'next'))
    /* If the provider is the only login method, the provider decides who can log in, so passkeys are rejected. */
    if (this.site.sso?.config.passwords === false) {
      ctx.response.status(403)
      return await this.#form(ctx, this.site.text('login.noPasswords'), next)
    }
    const { adminAuthentication } = this.site
    const { throttle } = adminAuthentication
    const address = ctx.request.ip()
    /*
     * The user is not known yet. The count is per address, because with one name for all, anonymous users could slow
     * down every passkey login.
     */
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
    return redirect(ctx, next ?? this.site.url('/'))
  }

  #form(ctx: HttpContext, error: string, next: string | undefined) {
    return loginForm(this.site, ctx, { error, next })
  }
}
