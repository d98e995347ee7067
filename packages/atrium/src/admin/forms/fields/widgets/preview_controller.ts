import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../../admin_site.js'
import { PageNotFound } from '../../../errors.js'
import { sentTexts } from '../../../http/form_texts.js'
import type { ModelView } from '../../../model_view.js'
import { formFields } from '../form_fields.js'
import { FormWidget } from './form_widget.js'

/**
 * Previews of a text while it is typed: that of a widget, or a slug. [R13]
 */
export class PreviewController {
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Responds with the preview of the posted `text` in the field's widget; stores and reads nothing.
   *
   * @throws PageNotFound  for a field that is in no form of the user, or that has no preview
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
