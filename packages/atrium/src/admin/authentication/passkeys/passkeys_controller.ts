import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound } from '../../errors.js'
import { flashToNextPage } from '../../http/flash.js'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { isolated } from '../../text/plain_text.js'
import AdminFactor from '../../models/admin_factor.js'
import { recoveryCodesPage } from '../factors/factors_controller.js'
import { logFactors, tellOfFactors } from '../factors/factor_events.js'
import { requireProof } from '../reauthentication/reauthentication.js'
import { deviceName } from '../sessions/device_name.js'
import { Passkeys } from './passkeys.js'
import { relyingPartyOf } from './relying_party.js'
import { guardOf } from '../sessions/admin_guard.js'

const LONGEST_NAME = 64

const PATH = '/account/factors/passkeys'

/**
 * Passkeys of the own account: adding one, which needs a recent proof, and names of factors. [U9, U11]
 */
export class PasskeysController {
  readonly #passkeys: Passkeys

  constructor(private readonly site: AdminSite) {
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
    await tellOfFactors(ctx, site, owner, 'factor_added', name)
    if (added.codes) return await recoveryCodesPage(ctx, site, added.codes, { isFirst: true })
    const text = site.text('passkeys.added', { name: isolated(name) })
    await flashToNextPage(ctx, { kind: 'success', text })
    return this.#goToAccount(ctx)
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
    await flashToNextPage(ctx, { kind: 'success', text: this.site.text('passkeys.renamed') })
    return this.#goToAccount(ctx)
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

  /** One's own alone; of another user's nothing is told. */
  async #find(ctx: HttpContext) {
    const { owner } = guardOf(ctx).signedInOrFail()
    const factors = await this.site.adminAuthentication.factors.of(owner.id)
    const factor = factors.find(({ id }) => String(id) === ctx.params.id)
    if (!factor) throw new PageNotFound()
    return factor
  }

  #goToAccount({ response }: HttpContext): void {
    const location = `${this.site.url('/account')}#second-factors`
    response.status(303).header('location', location).send('')
  }
}

function nameIn(texts: Map<string, string[]>): string {
  const name = singleText(texts, 'name') ?? ''
  return [...name.toWellFormed().replace(/\p{Cc}/gu, ' ')].slice(0, LONGEST_NAME).join('').trim()
}
