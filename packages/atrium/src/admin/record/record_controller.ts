import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '#base/columns/key'
import { historyLink } from '../http/event_access.js'
import { copyUrl } from '../forms/prefill/prefill_urls.js'
import { neighbourRecords } from '../forms/neighbour_records.js'
import { withParentName } from '../http/list_query.js'
import { cutText } from '../list/cell.js'
import { filteredUrl } from '../list/list_address.js'
import type { ListParameters } from '../list/list_parameters.js'
import { openedList, withList, type ListSite } from '../list/read_list.js'
import type { ModelView } from '../views/model_view.js'
import { actionButtons } from '../views/record_action.js'
import { may } from '../permissions/may.js'
import { PageNotFound } from '../http/errors.js'
import { ListPage } from '../list/list_page.js'
import {
  seenRelatedLists,
  parentRecord,
  relatedId,
  relatedSections,
  addUrl,
  referredValue,
  relatedParameters,
  relatedUrl,
} from './related_list.js'
import { isDeletedRecord, itemOf } from '../views/record_items.js'
import { inSentence } from '../text/plain_text.js'
import { attachedFacts, recordFacts } from './record_facts.js'
import { findRecord, formUrl, recordUrl, recordLinks } from '../http/record_links.js'

const LONGEST_TITLE = 120

/** The read-only page of a record, deleted or not. */
export class RecordController {
  constructor(
    private readonly site: ListSite,
    private readonly view: ModelView
  ) {}

  /**
   * Renders the page.
   *
   * @throws PageNotFound  for a record that does not exist or is not visible to the user
   * @throws Problem 403   if the policy does not allow reading the record
   */
  async page(ctx: HttpContext): Promise<string> {
    const { site, view } = this
    const { key, record } = await findRecord(ctx, view)
    const item = itemOf(view, record)
    const isDeleted = isDeletedRecord(view, record)
    const isListed = await view.isVisibleTo(ctx)
    const list = isListed ? await openedList(ctx, site, view) : null
    const parent = list ? null : await parentRecord(ctx, site, view)
    const copy = await copyUrl(ctx, view, key)
    const history = historyLink(ctx, view, key)
    return await site.render(ctx, 'pages/record', {
      view,
      title: cutText(view.titleOf(item, key), LONGEST_TITLE),
      isDeleted,
      facts: [
        ...(await recordFacts(ctx, site, view, item)),
        ...(await attachedFacts(ctx, site, view, record)),
      ],
      isListed,
      back: parent?.url ?? (isListed ? (list?.url ?? view.url('/')) : site.url('/')),
      parent,
      related: await relatedSections(ctx, site, view, record),
      neighbours: list && (await neighbourRecords(ctx, view, list, key, 'read')),
      history: history && withList(history, list),
      copy: copy && withParentName(withList(copy, list), parent && parent.name),
      actions: await this.#actions(ctx, record, key, isDeleted, list),
      recordActions: isDeleted ? [] : actionButtons(view, key),
      writes: view.url('/form_bulk_delete'),
      id: view.resource.key.toPath(key).slice(1),
    })
  }

  async #actions(
    ctx: HttpContext,
    record: LucidRow,
    key: KeyValue,
    isDeleted: boolean,
    list: ListParameters | null
  ) {
    const { view } = this
    const offered = async (offer: 'update' | 'delete' | 'restore' | 'purge', ofDeleted: boolean) =>
      isDeleted === ofDeleted && (await may(ctx, view, offer, record))
    return {
      update: (await offered('update', false)) ? withList(formUrl(view, key), list) : null,
      delete: await offered('delete', false),
      purge: await offered('purge', true),
      /* The page to show after restoring the record */
      restore: (await offered('restore', true)) ? withList(recordUrl(view, key), list) : null,
    }
  }
}

/** The records that refer to a record, as a part of the record's page or as a separate page. */
export class RelatedController {
  readonly #pages = new WeakMap<ModelView, ListPage>()

  constructor(
    private readonly site: ListSite,
    private readonly view: ModelView
  ) {}

  /**
   * Renders the list of a relation.
   *
   * @param name  name of the relation
   * @throws PageNotFound  for a record or list that the user is not allowed to see
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
      all: filteredUrl(list.view, [[list.column, value]]),
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
