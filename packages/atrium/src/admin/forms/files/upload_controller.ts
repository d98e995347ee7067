import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { NotAllowed, PageNotFound } from '../../http/errors.js'
import type { ModelView } from '../../views/model_view.js'
import type { FormMode } from '../fields/form_fields.js'
import { FormPage } from '../form_page.js'
import { storeForList } from './uploads.js'
import { WaitingFiles } from './waiting_files.js'

/** Stores the files of lists one by one, before the form with them is saved. */
export class UploadController {
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Stores the posted `file`. Responds with its key, or with the reason why it is refused.
   *
   * @throws NotAllowed    if the user cannot save the form
   * @throws PageNotFound  if the field is in no form of the user, or takes no list of files
   */
  async store(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const mode: FormMode = ctx.request.qs().form === 'create' ? 'create' : 'update'
    if (!view.may(mode)) throw new NotAllowed()
    const { fields } = await new FormPage(site, view, mode).of(ctx)
    const field = fields.find(({ name }) => name === ctx.params.field)
    if (field?.valueType !== 'file' || !field.multiple) throw new PageNotFound()
    const file = ctx.request.file('file')
    const outcome = file
      ? await storeForList(new WaitingFiles(ctx, view), view, field, file)
      : { refusal: site.text('files.none') }
    ctx.response.status('key' in outcome ? 201 : 422)
    return 'key' in outcome ? outcome : { message: asSentence(outcome.refusal) }
  }
}

function asSentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1)
}
