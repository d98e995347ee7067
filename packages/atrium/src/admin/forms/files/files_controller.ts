import { extname } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import { noteKey } from '#base/items'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import { fileColumnsOf, imageType, INLINE } from './file_fields.js'
import { ownerOf, isFileKey, openFile } from './file_store.js'
import { isForbidden } from '../submission/form_failure.js'
import { PageNotFound, WithheldPage } from '../../http/errors.js'

/* Characters that some systems do not allow in file names, or that disguise the name */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu
const LONGEST_TITLE = 80

/**
 * Serves the files of records. [B17]
 */
export class FilesController {
  constructor(
    protected readonly site: Site,
    protected readonly view: ModelView
  ) {}

  /**
   * Sends a file as an attachment, as inline content could run scripts in the site. Only an image of a column with
   * the widget `image` is sent inline, if requested. [B17, R13]
   */
  async show(ctx: HttpContext): Promise<void> {
    const key: unknown = ctx.params.file
    if (!isFileKey(key)) throw new PageNotFound()
    const owned = await this.#ownedBy(ctx, key)
    const file = owned && (await openFile(this.view, key))
    if (!owned || !file) throw new PageNotFound()

    /* Only sets the headers; the body is streamed separately. */
    const type = this.#inlineType(ctx, key, owned.field)
    ctx.response.attachment(key, owned.name, type ? 'inline' : 'attachment')
    ctx.response
      .header('content-type', type ?? 'application/octet-stream')
      .header('content-length', file.size)
      .stream(file.stream)
  }

  /**
   * Returns field and file name from the record for which the file was stored. A viewer who cannot see that record
   * gets no file, even if another record contains its key. [B17, P14]
   */
  async #ownedBy(
    ctx: HttpContext,
    key: string
  ): Promise<{ name: string; field: string } | undefined> {
    const { crud, resource } = this.view
    const owner = fileColumnsOf(this.view).length > 0 && (await ownerOf(this.view, key))
    if (!owner) return undefined

    const options = { ...this.view.callOptions(ctx), deleted: 'include' } as const
    const record = await crud.find(owner.key, options).catch((error) => {
      if (isForbidden(error)) return null
      throw error
    })
    if (!record && (await resource.base.reader.attributes(this.view.client(), owner.key))) {
      throw new WithheldPage()
    }
    const attributes = (record ?? {}) as Record<string, unknown>
    const column = fileColumnsOf(this.view).find(
      ({ attribute, apiName }) =>
        attributes[attribute] === key && apiName === (owner.field ?? apiName)
    )
    if (!record || !column) return undefined

    const item = noteKey(resource.reader.form.toItem(record), owner.key)
    const title = this.view.titleOf(item).replace(UNFIT, ' ').trim()
    const label = this.view.labelOf(column.apiName).replace(UNFIT, ' ').trim()
    const name = `${[...title].slice(0, LONGEST_TITLE).join('')} - ${label}${extname(key)}`
    return { name, field: column.apiName }
  }

  #inlineType({ request }: HttpContext, key: string, field: string): string | undefined {
    const isRequested = request.qs()[INLINE] !== undefined
    return isRequested && this.view.fieldOptions(field).widget === 'image'
      ? imageType(key)
      : undefined
  }
}
