import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound } from '../../http/errors.js'
import type { ModelView } from '../../model_view.js'
import { referencesOf } from '../../relations/references.js'
import { choicesOf, MOST_CHOICES } from './choices.js'

/**
 * What a field that refers to another record may refer to, for forms that search it. [B17]
 */
export class ChoicesController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  /**
   * Answers JSON where it is asked for, else the options of a select.
   */
  async show(ctx: HttpContext): Promise<unknown> {
    const reference = referencesOf(this.site, this.view).find(
      ({ column }) => column.wire === ctx.params.field && this.#isInForm(column.wire)
    )
    if (!reference?.view.may('view') || !reference.view.admits(ctx)) throw new PageNotFound()

    const { q } = ctx.request.qs()
    const found = await choicesOf(ctx, reference, { q: typeof q === 'string' ? q : '' })
    const choices = found.slice(0, MOST_CHOICES)
    ctx.response.header('vary', 'accept')
    if (ctx.request.accepts(['html', 'json']) !== 'json') {
      return await this.site.render(ctx, 'partials/choices', { choices })
    }
    const key = found.length > MOST_CHOICES ? 'choices.first' : 'choices.found'
    return { choices, status: this.site.text(key, { count: choices.length }) }
  }

  #isInForm(wire: string): boolean {
    const { resource } = this.view
    const bodies = [
      ...(this.view.may('create') ? [resource.createBody] : []),
      ...(this.view.may('update') ? [resource.updateBody] : []),
    ]
    return bodies.some(({ fields }) => fields.some((field) => field.wire === wire))
  }
}
