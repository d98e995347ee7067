import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { readBody } from '#crud/http/body'
import { noteKey } from '#crud/operations/item_keys'
import { Reader } from '#crud/sql/reader'
import type { KeyValue } from '#crud/resource/key'
import { crudConfig } from '#crud/settings'
import type { AdminSite } from '../admin_site.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { tellNextPage, type Flash } from '../http/flash.js'
import { returnPath } from '../http/return_path.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { ActionTask } from './action_task.js'
import type { BulkAction } from './bulk_action.js'
import { BulkFailure } from './bulk_failure.js'
import { idOfPath, MOST_IDS, readIds } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { WriteTask, WRITES } from './write_task.js'

/* As many records as the page names. */
const NAMED = 20

/* As many ids as are looked at, whether or not they are the same: no list selects a record five times. */
const MOST_SENT = 5 * MOST_IDS

interface BulkForm {
  /** As the list's checkboxes have them: paths of records */
  ids: string[]
  action: unknown
  isConfirmed: boolean
  /** Where to go afterwards */
  next: string
}

/**
 * Everything that is done to selected records by plain forms: a page asks, then it is done, and the
 * page that one came from tells. [B24]
 */
export class BulkFormController {
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Deleting, restoring, deleting for good, as the form's `action` says.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const form = await this.#read(ctx)
    const write = WRITES.find((name) => name === (form.action ?? 'delete'))
    const isPossible = write && (write !== 'restore' || this.view.resource.softDelete)
    if (!isPossible) throw new PageNotFound()
    return await this.#carryOut(new WriteTask(this.site, this.view, write), form, ctx)
  }

  /**
   * An action of the view's own.
   */
  async act(action: BulkAction, ctx: HttpContext): Promise<unknown> {
    const task = new ActionTask(this.site, this.view, action)
    return await this.#carryOut(task, await this.#read(ctx), ctx)
  }

  async #carryOut(task: BulkTask, form: BulkForm, ctx: HttpContext) {
    if (!(await may(ctx, this.view, task.needs))) throw new NotAllowed()
    try {
      if (form.ids.length === 0) throw new BulkFailure(400, `${task.noneSelected}Form`)
      if (form.ids.length > MOST_SENT) {
        throw new BulkFailure(422, 'bulk.tooMany', { most: MOST_IDS, count: form.ids.length })
      }
      const keys = readIds(this.view.resource.key, form.ids.map(idOfPath))
      if (task.confirms && !form.isConfirmed) return await this.#ask(task, keys, form, ctx)
      const text = await task.run(keys, ctx)
      return await this.#goOn(ctx, form.next, { kind: 'success', text })
    } catch (error) {
      if (!(error instanceof BulkFailure)) throw error
      const text = this.site.text(error.key, error.data)
      return await this.#goOn(ctx, form.next, { kind: 'error', text })
    }
  }

  /** Names what it is about. [B24] */
  async #ask(task: BulkTask, keys: readonly KeyValue[], form: BulkForm, ctx: HttpContext) {
    const { crud, resource } = this.view
    const { key } = resource
    const options = { ...this.view.callOptions(ctx), deleted: task.deleted }
    const records = await task.explain(ctx, () => crud.findMany(keys, options))
    const isVisible = await this.view.isVisibleTo(ctx)
    return await this.site.render(ctx, 'pages/confirm_bulk', {
      view: this.view,
      task,
      heading: task.heading(records.length),
      note: task.note(records.length),
      titles: records.slice(0, NAMED).map((record) => this.#titleOf(record, isVisible)),
      more: this.#more(records.length - NAMED),
      ids: keys.map((one) => key.toPath(one).slice(1)),
      next: form.next,
    })
  }

  #more(count: number): string | null {
    if (count < 1) return null
    return this.site.text('bulk.more', { count, shown: count.toLocaleString('en') })
  }

  /** Who may not look at the records is told their keys alone. [B14] */
  #titleOf(record: LucidRow, isVisible: boolean): string {
    const { resource } = this.view
    const item = isVisible ? new Reader(resource).toItem(record) : {}
    return cutText(this.view.titleOf(noteKey(item, resource.key.of(record))))
  }

  async #goOn(ctx: HttpContext, next: string, message: Flash) {
    await tellNextPage(ctx, message)
    ctx.response.status(303).header('location', next).send('')
  }

  /** Read by ourselves: the application's parser cuts forms of more than 1,000 fields. */
  async #read(ctx: HttpContext): Promise<BulkForm> {
    const { ids, action, next, confirmed } = await readBody(ctx, crudConfig().body)
    const list = (await this.view.isVisibleTo(ctx)) ? this.view.url('/') : this.site.url('/')
    return {
      ids: [ids ?? []].flat() as string[],
      action,
      isConfirmed: confirmed === '1',
      next: returnPath(this.site, next) ?? list,
    }
  }
}
