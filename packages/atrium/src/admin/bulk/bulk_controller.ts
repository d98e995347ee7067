import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud, crudConfig } from '#crud'
import { hasForeignHook } from '#base/lucid/own_hooks'
import { readBody } from '#base/http/body'
import type { KeyValue } from '#base/columns/key'
import { groupedNumber } from '#base/values/numbers'
import { type Flash, withUndo } from '../http/flash.js'
import { ListPage } from '../list/list_page.js'
import type { ModelView } from '../views/model_view.js'
import { BulkFailure } from './errors.js'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { may } from '../permissions/may.js'
import { jobUrl, acceptJob } from '../jobs/pages/shown_job.js'
import { callBody, idsOf, refuseCall, SelectAll } from './bulk_calls.js'
import { readIds } from './bulk_ids.js'
import { readAllMatching, type AllMatching } from './matching_records.js'
import { DeleteOrRestoreTask, type Write, WRITES, ActionTask } from './bulk_tasks.js'
import type { BulkAction } from '../views/bulk_action.js'
import {
  bulkFormInQuery,
  bulkFormOf,
  isNavigation,
  keysIn,
  redirectToConfirmation,
  type BulkForm,
} from './bulk_form.js'
import type { BulkTask } from './bulk_task.js'
import { titleInBulk } from './edit/record_errors.js'
import { redirectWithMessage, redirect } from '../http/redirect.js'
import type { BulkSite } from './bulk_job.js'

/**
 * Deletes and restores records for API clients and for the list's script: reads JSON, returns the list's content, or
 * `{ detail: [{ message }] }` on failure.
 */
export class BulkController {
  readonly #site: BulkSite
  readonly #list: ListPage
  readonly #view: ModelView

  constructor(site: BulkSite, view: ModelView) {
    this.#site = site
    this.#view = view
    this.#list = new ListPage(site, view)
  }

  async delete(ctx: HttpContext): Promise<unknown> {
    return await this.#response(ctx, ctx.request.qs().hard === 'true' ? 'purge' : 'delete')
  }

  async restore(ctx: HttpContext): Promise<unknown> {
    return await this.#response(ctx, 'restore')
  }

  async #response(ctx: HttpContext, write: Write) {
    const task = new DeleteOrRestoreTask(this.#site, this.#view, write)
    if (!this.#view.may(task.needs)) throw new NotAllowed()
    let text: string
    try {
      const body = await callBody(ctx)
      const all = readAllMatching(body)
      if (!all) text = await task.run(readIds(this.#view.resource.key, idsOf(body, task)), ctx)
      else {
        const selection = await SelectAll.read(ctx, this.#site, this.#view, task, all)
        if (selection.isJob) return acceptJob(ctx, this.#site, await selection.startJob())
        text = await task.run(selection.keys, ctx)
      }
    } catch (error) {
      return this.#refuse(ctx, error)
    }
    try {
      return await this.#show(ctx, { kind: 'success', text })
    } catch (error) {
      ctx.logger.error({ err: error }, `${this.#view.name}: the list could not be shown`)
      return this.#refuse(ctx, new BulkFailure(422, 'bulk.doneUnseen', { done: text }))
    }
  }

  /** Renders the list, or only the result for a viewer who is allowed to delete but not to see the list. */
  async #show(ctx: HttpContext, done: Flash) {
    if (await this.#view.isVisibleTo(ctx)) return await this.#list.content(ctx, done)
    const toast = await withUndo(ctx, done)
    return await this.#site.render(ctx, 'partials/bulk_done', { done: toast })
  }

  #refuse(ctx: HttpContext, error: unknown) {
    refuseCall(ctx, this.#site, this.#view, error)
  }
}

/**
 * Returns true if code of the application runs before a deletion, because it can first delete records that would
 * prevent the deletion.
 */
function preparesDeletion({ base }: ModelView): boolean {
  const { crud, resource } = base
  const isOwn = crud.prepareDelete !== LucidCrud.prototype.prepareDelete
  return isOwn || hasForeignHook(resource.model, 'before:delete')
}

/* Maximum number of records that the confirmation page lists. */
const NAMED = 20

/**
 * Bulk tasks by HTML forms: a confirmation page, the task itself, and a redirect to the previous page with a message.
 */
export class BulkFormController {
  constructor(
    private readonly site: BulkSite,
    private readonly view: ModelView
  ) {}

  /** Deletes, restores or purges, depending on the form's field `action`. */
  async submit(ctx: HttpContext): Promise<unknown> {
    const form = await this.#read(ctx)
    return await this.#carryOut(this.#writeOf(form), form, ctx)
  }

  /** Runs a bulk action of the view. */
  async act(action: BulkAction, ctx: HttpContext): Promise<unknown> {
    return await this.#carryOut(this.#actionTask(action), await this.#read(ctx), ctx)
  }

  /** Shows the confirmation page of `submit` at a separate URL, with the form's fields in the query. */
  async askToSubmit(ctx: HttpContext): Promise<unknown> {
    const form = await this.#readQuery(ctx)
    return await this.#carryOut(this.#writeOf(form), form, ctx)
  }

  /** Shows the confirmation page of `act` at a separate URL. */
  async askToAct(action: BulkAction, ctx: HttpContext): Promise<unknown> {
    return await this.#carryOut(this.#actionTask(action), await this.#readQuery(ctx), ctx)
  }

  #writeOf({ action }: BulkForm): DeleteOrRestoreTask {
    const write = WRITES.find((name) => name === (action ?? 'delete'))
    const isPossible = write && (write !== 'restore' || this.view.resource.softDelete)
    if (!isPossible) throw new PageNotFound()
    return new DeleteOrRestoreTask(this.site, this.view, write)
  }

  #actionTask(action: BulkAction): ActionTask {
    if (!this.view.bulkActions.includes(action)) throw new NotAllowed()
    return new ActionTask(this.site, this.view, action)
  }

  async #carryOut(task: BulkTask, form: BulkForm, ctx: HttpContext) {
    if (!(await may(ctx, this.view, task.needs))) throw new NotAllowed()
    const isRead = ctx.request.method() !== 'POST'
    try {
      const all = form.all && readAllMatching(form.all)
      if (all) return await this.#carryOutAll(task, all, form, ctx)
      const keys = keysIn(form, this.view, task)
      if (isRead || (task.confirms && !form.isConfirmed)) {
        if (isNavigation(ctx) && redirectToConfirmation(this.view, task, form, ctx)) return
        return await this.#ask(task, keys, form, ctx)
      }
      const text = await task.run(keys, ctx)
      return await redirectWithMessage(ctx, form.next, { kind: 'success', text })
    } catch (error) {
      if (!(error instanceof BulkFailure)) throw error
      const text = this.site.text(error.key, error.data)
      return await redirectWithMessage(ctx, form.from, { kind: 'error', text })
    }
  }

  /**
   * Runs a task on all records of a list. For many records it starts a job and redirects to the page of the job.
   */
  async #carryOutAll(task: BulkTask, all: AllMatching, form: BulkForm, ctx: HttpContext) {
    const isRead = ctx.request.method() !== 'POST'
    const selection = await SelectAll.read(ctx, this.site, this.view, task, all)
    const { keys, isJob } = selection
    if (isRead || (task.confirms && !form.isConfirmed)) {
      if (isNavigation(ctx) && redirectToConfirmation(this.view, task, form, ctx)) return
      return await this.#ask(task, keys, form, ctx, all)
    }
    if (isJob) {
      const job = await selection.startJob()
      return redirect(ctx, jobUrl(this.site, job))
    }
    const text = await task.run(keys, ctx)
    return await redirectWithMessage(ctx, form.next, { kind: 'success', text })
  }

  /**
   * Shows the confirmation page with the titles of the records.
   *
   * @param all  set if all records of the list are selected; `keys` then contains only the first ones
   */
  async #ask(
    task: BulkTask,
    keys: readonly KeyValue[],
    form: BulkForm,
    ctx: HttpContext,
    all: AllMatching | null = null
  ) {
    const { crud, resource } = this.view
    const { key } = resource
    const options = { ...this.view.callOptions(ctx), deleted: task.deleted }
    const records = await task.explain(ctx, () => crud.findMany(keys, options))
    await task.authorize(keys, ctx)
    const count = all?.count ?? records.length
    const isVisible = await this.view.isVisibleTo(ctx)
    const effects = await task.effects(keys, ctx, count)
    return await this.site.render(ctx, 'pages/confirm_bulk', {
      view: this.view,
      task,
      heading: task.heading(count),
      note: task.note(count),
      titles: records.slice(0, NAMED).map((record) => titleInBulk(this.view, record, isVisible)),
      more: this.#more(count - NAMED),
      effects,
      isPossible: !effects.some(({ effect }) => effect === 'refuse') || preparesDeletion(this.view),
      ids: all ? [] : keys.map((one) => key.toPath(one).slice(1)),
      all,
      next: form.next,
      from: form.from,
    })
  }

  #more(count: number): string | null {
    if (count < 1) return null
    return this.site.text('bulk.more', { count, shown: groupedNumber(count) })
  }

  /** Parses the body without the application's parser, which truncates forms of more than 1,000 fields. */
  async #read(ctx: HttpContext): Promise<BulkForm> {
    const body = await readBody(ctx, crudConfig().body)
    return await bulkFormOf(ctx, this.site, this.view, body)
  }

  async #readQuery(ctx: HttpContext): Promise<BulkForm> {
    return await bulkFormInQuery(ctx, this.site, this.view)
  }
}
