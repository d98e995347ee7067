import { extname } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import { keyOf } from '#crud/item_keys'
import { ListRequest } from '#crud/query/list_request'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../http/errors.js'
import type { ModelView } from '../model_view.js'
import { fileColumnsOf } from './file_columns.js'
import { isFileKey, openFile } from './file_store.js'

/* Signs that a file name can't have somewhere, or that show it as another one. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu
const LONGEST_TITLE = 80

/**
 * The files that records hold. [B17]
 */
export class FilesController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  /**
   * Sends a file, always as something to be saved: in a page it could do what its sender wants.
   */
  async show(ctx: HttpContext): Promise<void> {
    const key: unknown = ctx.params.file
    if (!isFileKey(key)) throw new PageNotFound()
    const name = await this.#nameFor(ctx, key)
    const file = name === undefined ? undefined : await openFile(this.view, key)
    if (!file) throw new PageNotFound()

    /* Only its header is wanted of `attachment`; a stream goes before the file that it names. */
    ctx.response.attachment(key, name)
    ctx.response
      .header('content-type', 'application/octet-stream')
      .header('content-length', file.size)
      .stream(file.stream)
  }

  /**
   * What the file is called by the record that holds it. Who may not see such a record gets no file,
   * whatever they know.
   */
  async #nameFor(ctx: HttpContext, key: string): Promise<string | undefined> {
    const { crud } = this.view
    const columns = fileColumnsOf(this.view)
    if (columns.length === 0) return undefined

    const options = this.view.callOptions(ctx)
    const isIt = columns.map(
      (column) => ({ type: 'compare', column, operator: 'eq', value: key }) as const
    )
    const request = new ListRequest(
      [{ type: 'or', conditions: isIt }],
      [],
      { shape: 'offset', offset: 0, limit: 1 },
      'include',
      { count: false }
    )
    const { data } = await crud.getMulti(request, { ...options, keys: true })
    if (data.length === 0) return undefined

    /* Also asks whether this very record may be seen; and a database may find what is not the same. */
    const record = await crud.find(keyOf(data[0]), { ...options, deleted: 'include' })
    const attributes = (record ?? {}) as Record<string, unknown>
    const column = columns.find(({ attribute }) => attributes[attribute] === key)
    if (!column) return undefined

    const title = this.view.titleOf(data[0]).replace(UNFIT, ' ').trim()
    const label = this.view.labelOf(column.wire).replace(UNFIT, ' ').trim()
    return `${[...title].slice(0, LONGEST_TITLE).join('')} - ${label}${extname(key)}`
  }
}
