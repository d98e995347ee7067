import { extname } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import { noteKey } from '#base/items'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import {
  fileColumnsOf,
  imageType,
  INLINE,
  isFileList,
  showsImages,
  THUMBNAIL,
} from './file_fields.js'
import { filesIn, isFileKey, ownerOf } from './file_owners.js'
import { openFile, type StoredFile, THUMBNAIL_TYPE, thumbnailOf } from './file_store.js'
import { isForbidden } from '../submission/form_failure.js'
import { PageNotFound, WithheldPage, NotAllowed } from '../../http/errors.js'
import type { FormMode } from '../fields/form_fields.js'
import { FormPage, type FormSite } from '../form_page.js'
import { storeForList } from './uploads.js'
import { WaitingFiles } from './waiting_files.js'

/** Stores the files of lists and of inline rows one by one, before the form with them is saved. */
export class UploadController {
  constructor(
    private readonly site: FormSite,
    private readonly view: ModelView
  ) {}

  /**
   * Stores the submitted `file`. Responds with its key, or with the reason why it is refused.
   *
   * @throws NotAllowed    if the user cannot save the form
   * @throws PageNotFound  if the field is in no form of the user, or has no files
   */
  async store(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const mode: FormMode = ctx.request.qs().form === 'create' ? 'create' : 'update'
    if (!view.may(mode)) throw new NotAllowed()
    const { fields } = await new FormPage(site, view, mode).of(ctx)
    const field = fields.find(({ name }) => name === ctx.params.field)
    if (field?.valueType !== 'file') throw new PageNotFound()
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

/* Characters that some systems do not allow in file names, or that disguise the name */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu
const LONGEST_TITLE = 80

/* Maximum size in bytes of an image that is sent unscaled as its thumbnail */
const LARGEST_UNSCALED = 2 * 1024 * 1024

const NO_PREVIEW = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path d="M8 11h24v18H8zm3 15 6-7 4 5 3-3 5 5" fill="none" stroke="#8a8f98" stroke-width="1.5"/></svg>`

/**
 * Serves the files of records.
 */
export class FilesController {
  constructor(
    protected readonly site: Site,
    protected readonly view: ModelView
  ) {}

  /**
   * Sends a file as an attachment, as inline content could run scripts in the site. Only an image of a column with
   * the widget `image` or with a list of files is sent inline, if requested.
   */
  async show(ctx: HttpContext): Promise<void> {
    const key: unknown = ctx.params.file
    if (!isFileKey(key)) throw new PageNotFound()
    const owned = await this.#ownedBy(ctx, key)
    const file = owned && (await openFile(this.view, key))
    if (!owned || !file) throw new PageNotFound()

    const image = this.#isShown(owned.column) ? imageType(key) : undefined
    const query = ctx.request.qs()
    if (image && query[THUMBNAIL] !== undefined) return await this.#sendThumbnail(ctx, key, file)
    const type = query[INLINE] === undefined ? undefined : image
    /* Only sets the headers; the body is streamed separately. */
    ctx.response.attachment(key, owned.name, type ? 'inline' : 'attachment')
    this.#stream(ctx, type ?? 'application/octet-stream', file)
  }

  /**
   * Sends the thumbnail of an image. Without one, sends the image itself, which the browser scales, or a drawing if the
   * image is too large.
   */
  async #sendThumbnail(ctx: HttpContext, key: string, file: StoredFile): Promise<void> {
    const thumbnail = await thumbnailOf(this.view, key)
    ctx.response.header('content-disposition', 'inline')
    if (!thumbnail && file.size <= LARGEST_UNSCALED) {
      return this.#stream(ctx, imageType(key)!, file)
    }
    file.stream.destroy()
    ctx.response
      .header('content-type', thumbnail ? THUMBNAIL_TYPE : 'image/svg+xml')
      .send(thumbnail ? Buffer.from(thumbnail) : NO_PREVIEW)
  }

  #stream({ response }: HttpContext, type: string, { size, stream }: StoredFile): void {
    response.header('content-type', type).header('content-length', size).stream(stream)
  }

  /**
   * Returns the column of a file, and a name made from the record for which the file was stored. Other records that
   * contain the file's key give no access to it.
   *
   * @returns undefined if no record has the file
   * @throws WithheldPage  if the viewer cannot see the record
   */
  async #ownedBy(
    ctx: HttpContext,
    key: string
  ): Promise<{ name: string; column: Column } | undefined> {
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
    const held = fileColumnsOf(this.view).find(
      (column) =>
        filesIn(column, attributes[column.attribute]).includes(key) &&
        column.apiName === (owner.field ?? column.apiName)
    )
    if (!record || !held) return undefined

    const item = noteKey(resource.reader.form.toItem(record), owner.key)
    const title = this.view.titleOf(item).replace(UNFIT, ' ').trim()
    const label = this.view.labelOf(held.apiName).replace(UNFIT, ' ').trim()
    const name = `${[...title].slice(0, LONGEST_TITLE).join('')} - ${label}${extname(key)}`
    return { name, column: held }
  }

  #isShown(column: Column): boolean {
    const { widget } = this.view.fieldOptions(column.apiName)
    return showsImages({ widget, multiple: isFileList(this.view, column) })
  }
}
