import type { HttpContext } from '@adonisjs/core/http'
import { toProblem } from '#base/http/send_problem'
import { NotAllowed } from '../http/errors.js'
import { withUndo, type Flash } from '../http/flash.js'
import { sentTexts, singleText } from '../http/form_texts.js'
import { findRecord, type FoundRecord } from '../http/record_links.js'
import { redirectWithMessage } from '../http/redirect.js'
import { cutText } from '../list/cell.js'
import { ListPage } from '../list/list_page.js'
import { openedList, withList, readList, type ListSite, movesRows } from '../list/read_list.js'
import { showPanel } from '../list/saved_views/views_bar.js'
import { may } from '../permissions/may.js'
import type { ListParameters } from '../list/list_parameters.js'
import type { ModelView } from '../views/model_view.js'
import { itemOf } from '../views/record_items.js'
import { moveRecord, type Target } from './move_record.js'
import { keyOf } from '#base/items'
import { identityOf, type KeyValue } from '#base/columns/key'
import { neighbours, Records } from '#crud/internals'
import type { Sort } from '#base/columns/sort'
import { idOfPath } from '../bulk/bulk_ids.js'

/**
 * Returns the record that a move is relative to, from a submitted form: a button, a number in the list, or a record
 * next to which another one was dropped. The list is the one that the user sees, with its filters and search.
 *
 * @returns null if the record is already there; undefined for an invalid form or a record that the user cannot see
 */
export async function targetIn(
  ctx: HttpContext,
  view: ModelView,
  list: ListParameters,
  key: KeyValue,
  texts: Map<string, string[]>
): Promise<Target | null | undefined> {
  for (const side of ['before', 'after'] as const) {
    const path = singleText(texts, side)
    if (path !== undefined) return await besides(ctx, view, path, side)
  }
  const rows = new ListedRows(ctx, view, list)
  switch (singleText(texts, 'to')) {
    case 'up':
      return targetAt('before', await rows.next(key, 'before'))
    case 'down':
      return targetAt('after', await rows.next(key, 'after'))
    case 'top':
      return otherThan(key, targetAt('before', await rows.at(1)))
    case 'bottom':
      return otherThan(key, targetAt('after', await rows.last()))
    case 'place':
      return await atPlace(rows, key, singleText(texts, 'place') ?? '')
    default:
      return undefined
  }
}

async function besides(ctx: HttpContext, view: ModelView, path: string, side: Target['side']) {
  const key = view.resource.key.fromJson(idOfPath(path))
  const found = key && (await view.crud.find(key, view.callOptions(ctx)))
  return found ? { side, key } : undefined
}

function targetAt(side: Target['side'], key: KeyValue | null): Target | null {
  return key && { side, key }
}

function otherThan(key: KeyValue, target: Target | null): Target | null {
  return target && identityOf(target.key) === identityOf(key) ? null : target
}

/**
 * Returns the target of a move to a number: null if the record already has this number, undefined for an invalid
 * number.
 *
 * @param text  number of the record in the list after the move, starting at 1
 */
async function atPlace(
  rows: ListedRows,
  key: KeyValue,
  text: string
): Promise<Target | null | undefined> {
  if (!/^[1-9]\d{0,8}$/.test(text)) return undefined
  const there = (await rows.at(Number(text))) ?? (await rows.last())
  if (!there || identityOf(there) === identityOf(key)) return null
  return { side: (await rows.isAfter(there, key)) ? 'after' : 'before', key: there }
}

/** The records of a list, in the order of the list. */
class ListedRows {
  constructor(
    private readonly ctx: HttpContext,
    private readonly view: ModelView,
    private readonly list: ListParameters
  ) {}

  async at(number: number, sorting: readonly Sort[] = []): Promise<KeyValue | null> {
    const request = this.list.with({ page: number, rows: 1, sorting }).toRequest({ count: false })
    const options = { ...this.view.callOptions(this.ctx), keys: true }
    const { data } = await this.view.crud.getMulti(request, options)
    return data.length > 0 ? keyOf(data[0])! : null
  }

  async last(): Promise<KeyValue | null> {
    const { key } = this.view.resource
    const columns = [this.view.orderColumn!, ...key.columns]
    return await this.at(
      1,
      columns.map((column) => ({ column, direction: 'desc' }))
    )
  }

  async next(key: KeyValue, direction: 'before' | 'after'): Promise<KeyValue | null> {
    for await (const keys of this.#neighbours(key, direction)) if (keys[0]) return keys[0]
    return null
  }

  /** Returns true if a record comes after another one. */
  async isAfter(key: KeyValue, other: KeyValue): Promise<boolean> {
    const { base } = this.view
    const { attribute } = base.orderColumn!
    const [one, two] = await Promise.all(
      [key, other].map(async (each) => {
        const found = await base.resource.reader.attributes(this.view.client(), each)
        return Number(found?.[attribute] ?? -Infinity)
      })
    )
    return one === two ? identityOf(key) > identityOf(other) : one > two
  }

  #neighbours(key: KeyValue, direction: 'before' | 'after'): AsyncGenerator<KeyValue[]> {
    const records = new Records(this.view.resource)
    const request = this.list.toRequest()
    return neighbours(records, request, key, direction, this.view.callOptions(this.ctx))
  }
}

/** Moves records of a list whose order is stored. */
export class OrderController {
  readonly #list: ListPage

  constructor(
    private readonly site: ListSite,
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
   *
   * @throws PageNotFound  for a record that the user cannot see
   * @throws NotAllowed    if the user is not allowed to update the record
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
    const toast = await withUndo(ctx, message)
    return await this.#list.render(ctx, await this.#list.data(ctx, list), toast)
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
