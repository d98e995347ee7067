import type { HttpContext } from '@adonisjs/core/http'
import { toProblem } from '#base/http/to_problem'
import type { AdminSite } from '../admin_site.js'
import { NotAllowed } from '../http/errors.js'
import { withUndo, type Flash } from '../http/flash.js'
import { sentTexts } from '../http/form_texts.js'
import { findRecord, type FoundRecord } from '../http/record_links.js'
import { redirectWithMessage } from '../http/redirect.js'
import { cutText } from '../list/cell.js'
import { ListPage } from '../list/list_page.js'
import { openedList, withList } from '../list/marked_record.js'
import { movesRows } from '../list/moved_rows.js'
import { readList } from '../list/read_list.js'
import { showPanel } from '../list/saved_views/views_bar.js'
import { may } from '../permissions/may.js'
import type { ListParameters } from '../list/list_parameters.js'
import type { ModelView } from '../views/model_view.js'
import { itemOf } from '../views/record_items.js'
import { moveRecord } from './move_record.js'
import { targetIn } from './targets.js'

/** Moves records of a list whose order is stored. */
export class OrderController {
  readonly #list: ListPage

  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {
    this.#list = new ListPage(site, view)
  }

  /** Shows the moves of a record, as a page or for the list's dialog. */
  async ask(ctx: HttpContext): Promise<string> {
    const found = await this.#find(ctx)
    const list = await this.#listOf(ctx)
    const title = this.#titleOf(found)
    return await showPanel(ctx, this.site, {
      title: this.site.text('order.title', { title }),
      content: 'admin/partials/order_form',
      view: this.view,
      action: withList(this.view.url(`/move${this.view.resource.key.toPath(found.key)}`), list),
      back: list.url,
    })
  }

  /**
   * Moves the record. The response is the updated list for the list's script, and a redirect to the list for a form.
   * @throws PageNotFound for a record that the user cannot see
   * @throws NotAllowed
   */
  async move(ctx: HttpContext): Promise<unknown> {
    const found = await this.#find(ctx)
    const list = await this.#listOf(ctx)
    return await this.#respond(ctx, list, await this.#moved(ctx, found, list))
  }

  async #moved(ctx: HttpContext, found: FoundRecord, list: ListParameters): Promise<Flash> {
    const { site, view } = this
    const title = this.#titleOf(found)
    const error = (key: string): Flash => ({ kind: 'error', text: site.text(key, { title }) })
    if (!movesRows(list)) return error('order.otherOrder')
    try {
      const target = await targetIn(ctx, view, list, found.key, sentTexts(ctx))
      if (target === undefined) return error('order.invalid')
      const isMoved = target && (await moveRecord(view, found.key, target, view.callOptions(ctx)))
      const text = site.text(isMoved ? 'order.moved' : 'order.unmoved', { title })
      return { kind: 'success', text }
    } catch (failure) {
      const { status } = toProblem(failure)
      if (status === 403 || status >= 500) throw failure
      return error('order.failed')
    }
  }

  async #respond(ctx: HttpContext, list: ListParameters, message: Flash): Promise<unknown> {
    if (ctx.request.header('hx-request') === undefined) {
      return await redirectWithMessage(ctx, list.url, message)
    }
    if (message.kind === 'error') ctx.response.status(422)
    const told = await withUndo(ctx, message)
    return await this.#list.render(ctx, await this.#list.data(ctx, list), told)
  }

  async #find(ctx: HttpContext): Promise<FoundRecord> {
    const found = await findRecord(ctx, this.view)
    if (!(await may(ctx, this.view, 'update', found.record))) throw new NotAllowed()
    return found
  }

  async #listOf(ctx: HttpContext): Promise<ListParameters> {
    const { site, view } = this
    return (await openedList(ctx, site, view)) ?? (await readList(ctx, site, view, ''))
  }

  #titleOf({ key, record }: FoundRecord): string {
    return cutText(this.view.titleOf(itemOf(this.view, record), key))
  }
}
