import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { WithUserAttributes } from '../../config/user_attributes.js'
import type { ModelView } from '../../views/model_view.js'
import AdminUser from '../../models/admin_user.js'
import { attributeReferences } from '../../user_attributes/attribute_fields.js'
import { seenManyToMany } from '../../relations/many_to_many.js'
import { referencesOf, type Reference } from '../../relations/references.js'
import { PageNotFound, WithheldPage } from '../../http/errors.js'
import { sentTexts } from '../../http/form_texts.js'
import { recentValues, choicesOf, MOST_CHOICES } from './choices.js'
import { formFields } from './form_fields.js'
import { FormWidget } from './widgets/form_widget.js'

/** Responds with the choices of a reference field, for its search. */
export class ChoicesController {
  constructor(
    protected readonly site: Site & WithUserAttributes,
    protected readonly view: ModelView
  ) {}

  /** Responds with JSON or with the options of a select, depending on `Accept`. */
  async show(ctx: HttpContext): Promise<unknown> {
    return await this.#response(ctx, (apiName) => this.#isInForm(apiName))
  }

  /** Like `show`, for list filters, which can use all columns of the list. */
  async forFilter(ctx: HttpContext): Promise<unknown> {
    const { fields } = this.view.resource
    return await this.#response(ctx, (apiName) => fields.some((one) => one.apiName === apiName))
  }

  async #response(ctx: HttpContext, isOffered: (apiName: string) => boolean): Promise<unknown> {
    const reference =
      referencesOf(this.site, this.view).find(
        ({ column }) => column.apiName === ctx.params.field && isOffered(column.apiName)
      ) ?? (await this.#related(ctx))
    const other = await reference?.view.for(ctx)
    if (!reference) throw new PageNotFound()
    if (!other!.may('view') || !other!.admits(ctx)) throw new WithheldPage()

    const { q } = ctx.request.qs()
    const recent = await recentValues(ctx, this.site, this.view.name, String(ctx.params.field))
    const found = await choicesOf(ctx, reference, { q: typeof q === 'string' ? q : '', recent })
    const choices = found.slice(0, MOST_CHOICES)
    ctx.response.header('vary', 'accept')
    if (ctx.request.accepts(['html', 'json']) !== 'json') {
      return await this.site.render(ctx, 'partials/choices', { choices })
    }
    const key = found.length > MOST_CHOICES ? 'choices.first' : 'choices.found'
    return { choices, status: this.site.text(key, { count: choices.length }) }
  }

  /** Returns the reference of a many-to-many field, or of a user attribute; undefined for any other field. */
  async #related(ctx: HttpContext): Promise<Reference | undefined> {
    if (this.view.model === AdminUser) return attributeReferences(this.site).get(ctx.params.field)
    const seen = await seenManyToMany(ctx, this.site, this.view)
    return seen.find(({ name }) => name === ctx.params.field)?.reference
  }

  #isInForm(apiName: string): boolean {
    const { resource } = this.view
    const bodies = [
      ...(this.view.may('create') ? [resource.createBody] : []),
      ...(this.view.may('update') ? [resource.updateBody] : []),
    ]
    return bodies.some(({ fields }) => fields.some((field) => field.apiName === apiName))
  }
}

/** Renders previews while the user types: of a widget's text, or of a slug. */
export class PreviewController {
  constructor(
    private readonly site: Site,
    private readonly view: ModelView
  ) {}

  /**
   * Responds with the preview that the field's widget makes of the submitted `text`. Reads and writes no records.
   *
   * @throws PageNotFound  if the field is in no form of the user or has no preview
   */
  async show(ctx: HttpContext): Promise<string> {
    const [text = ''] = sentTexts(ctx).get('text') ?? []
    const preview = this.#widget(String(ctx.params.field))?.preview?.(text.replace(/\r\n?/g, '\n'))
    if (!preview) throw new PageNotFound()
    ctx.response.type(`text/${preview.type === 'html' ? 'html' : 'plain'}; charset=utf-8`)
    return preview.content
  }

  #widget(name: string): FormWidget | undefined {
    const { site, view } = this
    const modes = (['create', 'update'] as const).filter((mode) => view.may(mode))
    const field = modes
      .flatMap((mode) => formFields(site, view, mode))
      .find((one) => one.name === name)
    return field?.widget instanceof FormWidget ? field.widget : undefined
  }
}
