import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { FormPage } from '../../forms/form_page.js'
import { sentTexts } from '../../http/form_texts.js'
import AdminAccessToken from '../../models/admin_access_token.js'
import type AdminUser from '../../models/admin_user.js'
import type { ModelView } from '../../model_view.js'
import { requireProof } from '../reauthentication/reauthentication.js'
import { readTokenForm } from './token_form.js'
import { PageNotFound } from '../../errors.js'

/**
 * Issues access tokens, from the page of their owner. [P10]
 */
export class TokenController {
  readonly #form: FormPage

  /**
   * @param view  view of the admin users
   */
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'update')
  }

  /**
   * Renders the token in the response itself, as it is stored nowhere for a redirect to show.
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
