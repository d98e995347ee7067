import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { isForeignLink } from '#base/http/cross_site'
import { noteRefusal } from '#base/http/send_problem'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithNotices } from '../../notices/notices.js'
import type { WithCookies } from '../login/first_step.js'
import type { WithSessions } from '../sessions/session_manager.js'
import { PageNotFound } from '../../http/errors.js'
import { RefusedWhileActing, SignInRequired } from '../../identity/errors.js'
import { EventType } from '../../events/event_integration.js'
import { returnPath } from '../../http/site_paths.js'
import { settleCount, whoIs } from '../login/login_throttle.js'
import { requireProof } from '../../identity/proof.js'
import { guardOf } from '../../identity/admin_guard.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import AdminUser from '../../models/admin_user.js'
import { hasPassword } from '../passwords/password_rules.js'
import type { Sso, WithSso } from './sso.js'
import {
  SsoOfSession,
  ssoMetadata,
  keepSsoStep,
  takeSsoStep,
  useSsoStep,
  type SsoAim,
  type SsoStep,
} from './sso_session.js'
import { SsoRefused, type SsoPerson } from './sso_provider.js'
import { redirectWithMessage, redirect, redirectToProvider } from '../../http/redirect.js'
import { rowId } from '../../views/record_items.js'

const AIMS: readonly SsoAim[] = ['login', 'proof', 'link']

/**
 * Redirects to the OpenID Connect provider and handles its callback: logs the person in, reauthenticates the signed-in
 * user, or links the identity with the signed-in user.
 */
export class SsoController {
  readonly #ofSession: SsoOfSession

  constructor(
    private readonly site: Site &
      WithAuthentication &
      WithNotices &
      WithCookies &
      WithSessions &
      WithSso
  ) {
    this.#ofSession = new SsoOfSession(site)
  }

  /**
   * Sends the browser to the provider. A link from another site does not start single sign-on: it redirects to the
   * login or account page.
   */
  async start(ctx: HttpContext): Promise<void> {
    const sso = this.#sso()
    const query = ctx.request.qs()
    const aim = AIMS.find((one) => one === query.for) ?? 'login'
    const next = returnPath(this.site, query.next)
    const guard = guardOf(ctx)
    const isSignedIn = await guard.checkWithoutFactor()
    if (aim === 'login') {
      if (isSignedIn) return redirect(ctx, next ?? this.site.url('/'))
      /* A session starts only on the user's request, because the provider can respond without a prompt. */
      if (isForeignLink(ctx)) return this.#beginAnew(ctx, 'required', next)
    } else {
      if (!isSignedIn) throw new SignInRequired('required')
      const { acting } = guard.signedInOrFail()
      if (acting) throw new RefusedWhileActing()
      if (isForeignLink(ctx)) return redirect(ctx, this.site.url('/account'))
      if (aim === 'link') requireProof(ctx, this.site.url('/account'))
    }
    const session = aim === 'login' ? undefined : guard.signedIn!.session.id
    try {
      await this.#admit(ctx)
      const { url, secrets } = await sso.provider.begin(sso.callbackUrl, {
        isFresh: aim !== 'login',
      })
      keepSsoStep(ctx, this.site, { ...secrets, aim, next, session })
      redirectToProvider(ctx, url.href)
    } catch (error) {
      await this.#refuse(ctx, error, { aim, next })
    }
  }

  /**
   * Handles the response of the provider. The attempt is counted by address, like a login, before the response is
   * evaluated.
   */
  async callback(ctx: HttpContext): Promise<void> {
    const sso = this.#sso()
    const step = takeSsoStep(ctx, this.site)
    if (!step) return this.#beginAnew(ctx)
    const { throttle } = this.site.adminAuthentication
    const address = ctx.request.ip()
    try {
      await this.#admit(ctx)
      const wait = await throttle.attemptOfAddress(address)
      if (wait !== undefined) throw new SsoRefused('throttled')
      if (!(await useSsoStep(step))) throw new SsoRefused('again')
      const url = new URL(sso.callbackUrl)
      url.search = ctx.request.parsedUrl.query ?? ''
      const freshSince = step.aim === 'login' ? undefined : step.startedAt
      const person = await sso.provider.finish(
        { url, secrets: step, freshSince },
        step.aim === 'login' ? sso.people.claims : []
      )
      if (step.aim === 'login') await this.#signIn(ctx, sso, person, step)
      else await this.#ofSession.take(ctx, sso, person, step)
      await settleCount(ctx, throttle.withdrawOfAddress(address))
    } catch (error) {
      await this.#refuse(ctx, error, step)
    }
  }

  async #signIn(ctx: HttpContext, sso: Sso, person: SsoPerson, step: SsoStep): Promise<void> {
    const user = await sso.people.admit(ctx, person)
    const { adminAuthentication } = this.site
    const metadata = ssoMetadata(person)
    const isLinked = async (client: TransactionClientContract) => {
      const identity = await sso.identities.find(person, client)
      return identity?.userId === user.id
    }
    const session = await adminAuthentication.signInBySso(ctx, user, { metadata, isLinked })
    if (!session) throw new SsoRefused('again', undefined, user.username)
    ctx.logger.info(whoIs(user.username, ctx), 'Logged in by single sign-on')
    this.site.logEvent(ctx, { type: EventType.LOGIN, user, session, details: { method: 'sso' } })
    redirect(ctx, step.next ?? this.site.url('/'))
  }

  /** @throws SsoRefused  if the address has to wait after too many failures */
  async #admit(ctx: HttpContext): Promise<void> {
    const { throttle } = this.site.adminAuthentication
    if ((await throttle.waitOf(ctx.request.ip())) > 0) throw new SsoRefused('throttled')
  }

  async #refuse(ctx: HttpContext, error: unknown, step: Pick<SsoStep, 'aim' | 'next'>) {
    if (!(error instanceof SsoRefused)) throw error
    const { refusal, message, typedName } = error
    ctx.logger.warn(
      { ...whoIs(typedName, ctx), aim: step.aim, refusal, reason: message },
      'Login by single sign-on failed'
    )
    if (refusal === 'throttled') noteRefusal(ctx, { status: 429 })
    if (refusal !== 'away' && refusal !== 'throttled' && refusal !== 'cancelled') {
      this.site.logEvent(ctx, {
        type: EventType.FAILED_LOGIN,
        status: 'failure',
        ...(step.aim === 'login' && typedName && { typedName }),
        details: { method: 'sso', reason: `sso_${refusal}` },
      })
    }
    if (step.aim !== 'login') return await this.#ofSession.refuse(ctx, refusal, step)
    this.#beginAnew(ctx, `sso_${refusal}`, step.next)
  }

  #beginAnew(ctx: HttpContext, reason = 'sso_again', next?: string) {
    const query = new URLSearchParams({ error: reason, ...(next && { next }) })
    redirect(ctx, `${this.site.url('/login')}?${query}`)
  }

  #sso(): Sso {
    if (!this.site.sso) throw new PageNotFound()
    return this.site.sso
  }
}

/**
 * Removes the link between the signed-in user and an identity at the provider, unless it is the user's only login
 * method.
 */
export class SsoUnlinkController {
  constructor(private readonly site: Site & WithNotices & WithSso) {}

  async unlink(ctx: HttpContext): Promise<void> {
    const { sso } = this.site
    const id = rowId(singleText(sentTexts(ctx), 'id'))
    if (!sso || id === null) throw new PageNotFound()
    requireProof(ctx, this.site.url('/account'))
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const all = await sso.identities.of(owner.id)
    const isOnly = all.length < 2 && !(sso.config.passwords && hasPassword(owner.user))
    if (isOnly) return await this.#flash(ctx, 'error', 'sso.onlyWay')
    if (!(await sso.identities.unlink(owner.id, id))) throw new PageNotFound()
    this.site.logEvent(ctx, {
      type: EventType.UPDATE,
      resourceType: AdminUser.name,
      resourceId: String(owner.id),
      details: { sso: 'unlinked' },
    })
    await this.site.notices.notify(owner, 'sso_unlinked', {}, { session: session.id })
    await this.#flash(ctx, 'success', 'sso.unlinkedNow')
  }

  async #flash(ctx: HttpContext, kind: 'success' | 'error', key: string) {
    await redirectWithMessage(ctx, this.site.url('/account'), { kind, text: this.site.text(key) })
  }
}
