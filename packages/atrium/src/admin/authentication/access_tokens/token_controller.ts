import type { HttpContext } from '@adonisjs/core/http'
import type { AdminActor } from '#base/types'
import { ValueError } from '#crud'
import type { Site } from '../../views/site.js'
import { FormPage, type FormSite } from '../../forms/form_page.js'
import { sentTexts } from '../../http/form_texts.js'
import AdminAccessToken from '../../models/admin_access_token.js'
import type AdminUser from '../../models/admin_user.js'
import type { ModelView } from '../../views/model_view.js'
import { requireProof } from '../../identity/proof.js'
import { PageNotFound, NotAllowed } from '../../http/errors.js'
import { adminActor, adminOrigin } from '../../identity/admin_actor.js'
import { notePerson } from '../../identity/person.js'
import { guardOf } from '../../identity/admin_guard.js'
import { isolated } from '../../text/plain_text.js'
import { accountPage, mayMakeTokens, type AccountSite } from '../../account/account_page.js'
import type { TokenTerms, WithAccessTokens } from './access_tokens.js'
import { readTokenForm } from './token_form.js'
import { redirectWithMessage } from '../../http/redirect.js'

/** Issues access tokens from the page of their owner. */
export class TokenController {
  readonly #form: FormPage

  /** @param view  view of the model of admin users */
  constructor(
    private readonly site: FormSite & WithAccessTokens,
    private readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'update')
  }

  /**
   * Issues a token and renders it in the response. The token is not stored, so a page after a redirect could not show
   * it.
   */
  async issue(ctx: HttpContext): Promise<string> {
    const user = await this.#find(ctx)
    requireProof(ctx, this.view.url(`/update/${user.id}`))
    const { terms, ...panelState } = readTokenForm(sentTexts(ctx))
    if (!terms) {
      ctx.response.status(422)
      return await this.#form.render(ctx, { record: user, panelState })
    }
    const options = this.site.models.get(AdminAccessToken.name)!.callOptions(ctx)
    const { value } = await this.site.accessTokens.issue(user, terms, options)
    return await this.site.render(ctx, 'pages/token_issued', {
      title: this.site.text('accessTokens.issued.title', { name: terms.name }),
      token: value.release(),
      username: user.username,
      abilities: issuedAbilities(this.site, terms),
      page: this.view.url(`/update/${user.id}`),
    })
  }

  async #find(ctx: HttpContext): Promise<AdminUser> {
    const key = this.view.resource.key.fromParams(ctx.params)
    const user = await this.view.crud.find(key, this.view.callOptions(ctx))
    if (!user) throw new PageNotFound()
    return user as AdminUser
  }
}

function issuedAbilities(site: Site, { abilities, readOnly }: TokenTerms): string {
  const names = abilities.join(', ')
  return readOnly ? `${names} (${site.text('accessTokens.readOnly')})` : names
}

/**
 * Returns the signed-in user as the actor of writes to records of that user. Roles never cover the site's internal
 * models, so roles are not checked. The caller makes sure that the records belong to the user.
 */
function actorOnOwn(ctx: HttpContext): AdminActor {
  const { id, permissionsVersion } = guardOf(ctx).signedInOrFail().owner
  const actor = adminActor(ctx)
  notePerson(actor, { id, permissionsVersion, isSuperuser: true })
  return actor
}

/** Creates and revokes access tokens of the signed-in user. */
export class OwnTokensController {
  constructor(private readonly site: AccountSite) {}

  /**
   * Issues a token and renders it in the response. The token is not stored, so a page after a redirect could not show
   * it.
   *
   * @throws NotAllowed  if no role of the user allows it
   */
  async issue(ctx: HttpContext): Promise<string> {
    const { site } = this
    if (!(await mayMakeTokens(site, ctx))) throw new NotAllowed()
    requireProof(ctx, `${site.url('/account')}#tokens`)
    const { user } = guardOf(ctx).signedInOrFail().owner
    const { terms, ...token } = readTokenForm(sentTexts(ctx))
    if (!terms) {
      ctx.response.status(422)
      return await accountPage(site, ctx, { token })
    }
    const { value } = await site.accessTokens.issue(user, terms, this.#options(ctx))
    return await site.render(ctx, 'pages/token_issued', {
      title: site.text('accessTokens.issued.title', { name: terms.name }),
      token: value.release(),
      username: user.username,
      abilities: issuedAbilities(site, terms),
      page: `${site.url('/account')}#tokens`,
    })
  }

  /** Renders the confirmation page before a token is revoked. */
  async ask(ctx: HttpContext): Promise<string> {
    const { site } = this
    const { id, name } = await this.#find(ctx)
    return await site.render(ctx, 'pages/confirm', {
      heading: site.text('account.tokens.revokeHeading', { name: isolated(name) }),
      note: site.text('account.tokens.revokeNote'),
      action: site.url(`/account/tokens/${id}/revoke`),
      label: site.text('account.tokens.revoke'),
      isDestructive: true,
      back: `${site.url('/account')}#tokens`,
    })
  }

  async revoke(ctx: HttpContext): Promise<void> {
    const { site } = this
    const { user } = guardOf(ctx).signedInOrFail().owner
    const { id, name } = await this.#find(ctx)
    requireProof(ctx, site.url(`/account/tokens/${id}/revoke`))
    try {
      await site.accessTokens.revoke(user, String(id), this.#options(ctx))
    } catch (error) {
      /* A concurrent request already revoked the token. */
      if (!(error instanceof ValueError)) throw error
    }
    await redirectWithMessage(ctx, `${site.url('/account')}#tokens`, {
      kind: 'success',
      text: site.text('account.tokens.revoked', { name: isolated(name) }),
    })
  }

  async #find(ctx: HttpContext): Promise<AdminAccessToken> {
    const { owner } = guardOf(ctx).signedInOrFail()
    const tokens = await this.site.accessTokens.ofUser(owner)
    const token = tokens.find(({ id }) => String(id) === ctx.params.id)
    if (!token) throw new PageNotFound()
    return token
  }

  #options(ctx: HttpContext) {
    return { actor: actorOnOwn(ctx), origin: adminOrigin(ctx) }
  }
}
