import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithNotices } from '../../notices/notices.js'
import { guardOf } from '../../identity/admin_guard.js'
import { PageNotFound } from '../../http/errors.js'
import { flashToNextPage } from '../../http/flash.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import type { NoticeKind } from '../../models/admin_notice.js'
import { isolated } from '../../text/plain_text.js'
import { relyingPartyOf } from '../passkeys/relying_party.js'
import { requireProof } from '../../identity/proof.js'
import type AdminUser from '../../models/admin_user.js'
import type { ModelView } from '../../views/model_view.js'
import { logFactors, notifyOfFactors, recoveryCodesPage } from './factor_events.js'
import { keyUri, newSecret } from './factors.js'
import { redirectWithMessage, redirect } from '../../http/redirect.js'
import { rowId } from '../../views/record_items.js'
import encodeQR from 'qr'

const PURPOSE = 'enrolment of a second factor'

/** Maximum length of an encrypted secret in a form */
const LONGEST = 500

interface Sealed {
  user: number
  secret: string
}

/**
 * Encrypts a secret that is not a factor yet. The form that confirms the factor sends it back, so nothing is stored
 * before.
 */
function sealSecret(userId: number, secret: string): string {
  const sealed: Sealed = { user: userId, secret }
  return encryption.encrypt(sealed, { purpose: PURPOSE, expiresIn: '30m' })
}

/**
 * @returns the secret; null if it was not encrypted by the site for this user within the last half hour
 */
function secretIn(userId: number, sealed: string | undefined): string | null {
  if (sealed === undefined || sealed.length > LONGEST) return null
  const found = encryption.decrypt<Sealed>(sealed, PURPOSE)
  return found?.user === userId ? found.secret : null
}

/** Field and parameter with the encrypted secret of an enrolment in progress */
const SETUP = 'setup'

const PATH = '/account/factors'

/**
 * Second factors of the signed-in user: setting up an authenticator app, recovery codes, and removing factors. All
 * actions require a recent reauthentication.
 */
export class FactorsController {
  constructor(private readonly site: Site & WithAuthentication & WithNotices) {}

  /** Shows the QR code of a new secret, which is stored once the user has typed a matching code. */
  async setUp(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx)
    const { id } = this.#owner(ctx)
    const sealed = ctx.request.qs()[SETUP]
    const secret = secretIn(id, typeof sealed === 'string' ? sealed : undefined) ?? newSecret()
    return await this.#setUpPage(ctx, secret)
  }

  /**
   * Stores the factor if the first code is correct. After the user's first factor it shows the recovery codes, which
   * are not stored in plain text.
   */
  async enrol(ctx: HttpContext): Promise<unknown> {
    const texts = sentTexts(ctx)
    const sealed = singleText(texts, SETUP)
    const goOn = new URLSearchParams({ [SETUP]: sealed ?? '' })
    requireProof(ctx, `${this.#url('/totp')}?${goOn}`)
    const { id } = this.#owner(ctx)
    const { factors } = this.site.adminAuthentication
    const secret = secretIn(id, sealed)
    if (secret === null) {
      ctx.response.status(422)
      return await this.#setUpPage(ctx, newSecret(), 'factors.setUp.tooOld')
    }
    if (await factors.isEnrolled(id, secret)) return redirect(ctx, this.site.url('/account'))
    const { session } = guardOf(ctx).signedInOrFail()
    const enrolled = await factors.enrol(id, {
      secret,
      code: singleText(texts, 'code') ?? '',
      name: this.site.text('factors.totp'),
      currentSession: session,
    })
    if (!enrolled) {
      ctx.response.status(422)
      return await this.#setUpPage(ctx, secret, 'factors.setUp.wrong')
    }
    logFactors(ctx, this.site, id, enrolled.isFirst ? 'added' : 'replaced')
    await this.#notify(ctx, 'factor_added', this.site.text('factors.totp'))
    if (enrolled.codes)
      return await recoveryCodesPage(ctx, this.site, enrolled.codes, { isFirst: true })
    await this.#flash(ctx, 'factors.replaced')
    return redirect(ctx, this.site.url('/account'))
  }

  /** Renders the confirmation page before the recovery codes are renewed. */
  async askToRenew(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx)
    await this.#requireFactor(ctx)
    return await this.#ask(ctx, 'factors.renew', this.#url('/recovery-codes'))
  }

  async renew(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx, this.#url('/recovery-codes'))
    const { id } = this.#owner(ctx)
    const codes = await this.site.adminAuthentication.factors.renewCodes(id)
    if (!codes) throw new PageNotFound()
    logFactors(ctx, this.site, id, 'codes_renewed')
    await this.#notify(ctx, 'recovery_codes_made')
    return await recoveryCodesPage(ctx, this.site, codes, { isFirst: false })
  }

  /** Renders the confirmation page before a factor is removed. */
  async askToRemove(ctx: HttpContext): Promise<unknown> {
    const path = this.#removal(ctx)
    requireProof(ctx)
    const owned = await this.#requireFactor(ctx)
    const factor = owned.find((one) => one.id === Number(ctx.params.id))
    if (!factor) throw new PageNotFound()
    const key = factor.kind === 'passkey' ? 'passkeys.remove' : 'factors.remove'
    return await this.#ask(ctx, key, path, { isDestructive: true, name: isolated(factor.name) })
  }

  /** Removes a factor, unless it is the last one of a user who must have one. */
  async remove(ctx: HttpContext): Promise<unknown> {
    requireProof(ctx, this.#removal(ctx))
    const { adminAuthentication } = this.site
    const { owner, session } = guardOf(ctx).signedInOrFail()
    const owned = await this.#requireFactor(ctx)
    if (owned.length === 1 && adminAuthentication.mustHaveFactor(owner.isSuperuser)) {
      await this.#flash(ctx, 'factors.needed', 'error')
      return redirect(ctx, this.site.url('/account'))
    }
    const removed = await adminAuthentication.factors.remove(
      owner.id,
      Number(ctx.params.id),
      session
    )
    if (!removed) throw new PageNotFound()
    logFactors(ctx, this.site, owner.id, 'removed')
    await this.#notify(ctx, 'factor_removed', removed.name)
    await this.#flash(ctx, 'factors.removed')
    return redirect(ctx, this.site.url('/account'))
  }

  async #setUpPage(ctx: HttpContext, secret: string, invalid?: string) {
    const { owner, lacksFactor } = guardOf(ctx).signedInOrFail()
    const uri = keyUri(secret, { issuer: this.site.title, label: owner.username })
    const error = invalid === undefined ? null : this.site.text(invalid)
    return await this.site.render(ctx, 'pages/factor_setup', {
      error,
      isForced: lacksFactor === true,
      setup: { name: SETUP, value: sealSecret(owner.id, secret) },
      secret: secret.match(/.{1,4}/g)!.join(' '),
      qr: qrCode(uri),
      uri,
      hasPasskeys: relyingPartyOf(ctx) !== null,
      urls: {
        submit: this.#url('/totp'),
        passkey: this.#url('/passkeys'),
        back: this.site.url('/account'),
      },
    })
  }

  async #ask(
    ctx: HttpContext,
    key: string,
    action: string,
    { isDestructive = false, name = '' } = {}
  ) {
    return await this.site.render(ctx, 'pages/confirm', {
      heading: this.site.text(`${key}.heading`, { name }),
      note: this.site.text(`${key}.note`),
      label: this.site.text(`${key}.label`),
      action,
      isDestructive,
      back: this.site.url('/account'),
    })
  }

  async #notify(ctx: HttpContext, kind: NoticeKind, name?: string) {
    await notifyOfFactors(ctx, this.site, this.#owner(ctx), kind, name)
  }

  async #requireFactor(ctx: HttpContext) {
    const factors = await this.site.adminAuthentication.factors.of(this.#owner(ctx).id)
    if (factors.length === 0) throw new PageNotFound()
    return factors
  }

  async #flash(ctx: HttpContext, key: string, kind: 'success' | 'error' = 'success') {
    await flashToNextPage(ctx, { kind, text: this.site.text(key) })
  }

  /**
   * Returns the URL for removing the factor of the request.
   *
   * @throws PageNotFound
   */
  #removal({ params }: HttpContext): string {
    if (rowId(params.id) === null) throw new PageNotFound()
    return this.#url(`/${params.id}/remove`)
  }

  #owner(ctx: HttpContext) {
    return guardOf(ctx).signedInOrFail().owner
  }

  #url(path: string): string {
    return this.site.url(PATH + path)
  }
}

/**
 * Removes the second factors of a user who has lost them, and ends the user's sessions. Only for superusers.
 */
export class ResetController {
  /** @param view  view of the model of admin users */
  constructor(
    private readonly site: Site & WithAuthentication & WithNotices,
    private readonly view: ModelView
  ) {}

  /** Renders the confirmation page. */
  async ask(ctx: HttpContext): Promise<unknown> {
    const user = await this.#find(ctx)
    requireProof(ctx)
    const text = (key: string) =>
      this.site.text(`factors.reset.${key}`, { username: user.username })
    return await this.site.render(ctx, 'pages/confirm', {
      heading: text('heading'),
      note: text('note'),
      label: text('label'),
      action: this.view.url(`/reset_factors/${user.id}`),
      isDestructive: true,
      back: this.view.url(`/update/${user.id}`),
    })
  }

  async reset(ctx: HttpContext): Promise<unknown> {
    const user = await this.#find(ctx)
    requireProof(ctx, this.view.url(`/reset_factors/${user.id}`))
    const ended = await this.site.adminAuthentication.factors.reset(user.id)
    logFactors(ctx, this.site, user.id, 'reset')
    await notifyOfFactors(ctx, this.site, user, 'factors_reset')
    const text = this.site.text('factors.reset.done', {
      username: user.username,
      sessions: ended.sessions,
    })
    const page = this.view.url(`/update/${user.id}`)
    return await redirectWithMessage(ctx, page, { kind: 'success', text })
  }

  async #find(ctx: HttpContext): Promise<AdminUser> {
    const key = this.view.resource.key.fromParams(ctx.params)
    const user = await this.view.crud.find(key, this.view.callOptions(ctx))
    if (!user) throw new PageNotFound()
    return user as AdminUser
  }
}

/* Width of the empty border, in modules; scanners need it to find the code */
const QUIET_ZONE = 4

/**
 * Returns the path of a QR code in a square of units, for an SVG element.
 *
 * @returns `size`: width of the square in units; `path`: path of the dark units
 */
export function qrCode(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))
  )
  return { size: rows.length, path: squares.join('') }
}
