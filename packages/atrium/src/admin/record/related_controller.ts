import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { PageNotFound } from '../errors.js'
import { cutText } from '../list/cell.js'
import { ListPage } from '../list/list_page.js'
import type { ModelView } from '../model_view.js'
import { seenRelatedLists } from '../relations/related_lists.js'
import { inSentence } from '../text/plain_text.js'
import { findRecord } from './find_record.js'
import { isDeletedRecord, itemOf, relatedId } from './parent_record.js'
import { recordLinks } from './record_links.js'
import {
  addUrl,
  filteredListUrl,
  referredValue,
  relatedParameters,
  relatedUrl,
} from './related_list.js'

/**
 * The records that refer to a record, as a part of its page, or as a page of their own. [R4]
 */
export class RelatedController {
  readonly #pages = new WeakMap<ModelView, ListPage>()

  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * @param name  of the relation
   * @throws PageNotFound  for a record or records that the user may not see
   */
  async show(name: string, ctx: HttpContext): Promise<string> {
    const { site, view } = this
    const { key, record } = await findRecord(ctx, view)
    const lists = await seenRelatedLists(ctx, site, view)
    const list = lists.find((one) => one.name === name)
    const value = list && referredValue(list, record)
    if (!list || value === null || value === undefined) throw new PageNotFound()

    const isDeleted = isDeletedRecord(view, record)
    const base = relatedUrl(view, list, key)
    const parameters = await relatedParameters(ctx, site, list, { base, value })
    const parent = `${view.name}${view.resource.key.toPath(key)}`
    const linkTo = await recordLinks(ctx, view, [key])
    const data = {
      ...(await this.#pageOf(list.view).data(ctx, parameters)),
      id: relatedId(list),
      heading: list.label,
      all: filteredListUrl(list, value),
      add: isDeleted ? null : await addUrl(ctx, site, list, { value, parent }),
      one: inSentence(list.view.singular),
      isScoped: list.view.resource.scope !== undefined,
    }
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') !== undefined) {
      return await site.render(ctx, 'partials/related_list', data)
    }
    const title = cutText(view.titleOf(itemOf(view, record), key))
    return await site.render(ctx, 'pages/related', {
      ...data,
      parentTitle: title,
      back: linkTo(key, isDeleted) ?? view.url('/'),
    })
  }

  #pageOf(view: ModelView): ListPage {
    let page = this.#pages.get(view)
    if (!page) this.#pages.set(view, (page = new ListPage(this.site, view)))
    return page
  }
}
