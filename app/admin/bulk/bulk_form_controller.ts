import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { crudConfig } from '#crud'
import { readBody, noteKey, Reader, type KeyValue } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { flashToNextPage, type Flash } from '../http/flash.js'
import { returnPath } from '../http/return_path.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { jobUrl } from '../jobs/pages/job_url.js'
import { ActionTask } from './action_task.js'
import type { BulkAction } from './bulk_action.js'
import { idOfPath, MOST_IDS, readIds } from './bulk_ids.js'
import type { BulkTask } from './bulk_task.js'
import { readAllMatching, type AllMatching } from './matching_records.js'
import { SelectAll } from './select_all.js'
import { DeleteOrRestoreTask, WRITES } from './delete_or_restore_task.js'
import { NotAllowed, PageNotFound, BulkFailure } from '../errors.js'

/* Number of records that the confirmation page names. */
const NAMED = 20

/* Maximum number of submitted ids including duplicates; no list submits a record five times. */
const MOST_SENT = 5 * MOST_IDS

/* Longer addresses of the confirmation page might not pass a proxy. */
const LONGEST_ADDRESS = 4000

interface BulkForm {
  /** Paths of the selected records, as in the values of the list's checkboxes */
  ids: string[]
  /** Fields that select all records of the list instead of ids; null: the box is not checked [L8] */
  all: Record<string, unknown> | null
  action: unknown
  isConfirmed: boolean
  /** URL to redirect to afterwards */
  next: string
}

/**
 * Bulk tasks by plain forms: a confirmation page, the task itself, and a redirect to the previous
 * page with a message. [B24]
 */
export class BulkFormController {
  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {}

  /**
   * Deletes, restores or purges, depending on the form's field `action`.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const form = await this.#read(ctx)
    return await this.#carryOut(this.#writeOf(form), form, ctx)
  }

  /**
   * Runs a bulk action of the view.
   */
  async act(action: BulkAction, ctx: HttpContext): Promise<unknown> {
    return await this.#carryOut(this.#actionTask(action), await this.#read(ctx), ctx)
  }

  /**
   * The confirmation page of `submit` at an address of its own, with the form's fields in the query.
   */
  async askToSubmit(ctx: HttpContext): Promise<unknown> {
    const form = await this.#readQuery(ctx)
    return await this.#carryOut(this.#writeOf(form), form, ctx)
  }

  /**
   * The confirmation page of `act` at an address of its own.
   */
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
      if (form.ids.length === 0) throw new BulkFailure(400, `${task.noneSelected}Form`)
      if (form.ids.length > MOST_SENT) {
        throw new BulkFailure(422, 'bulk.tooMany', { most: MOST_IDS, count: form.ids.length })
      }
      const keys = readIds(this.view.resource.key, form.ids.map(idOfPath))
      if (isRead || (task.confirms && !form.isConfirmed)) {
        if (isNavigation(ctx) && this.#sendOn(task, form, ctx)) return
        return await this.#ask(task, keys, form, ctx)
      }
      const text = await task.run(keys, ctx)
      return await this.#redirectTo(ctx, form.next, { kind: 'success', text })
    } catch (error) {
      if (!(error instanceof BulkFailure)) throw error
      const text = this.site.text(error.key, error.data)
      return await this.#redirectTo(ctx, form.next, { kind: 'error', text })
    }
  }

  /**
   * Sends a browser on to the confirmation page's own address. It could not show the answer to a form
   * again, when the user goes back after the task is done.
   *
   * @returns false if the address would be too long
   */
  #sendOn(task: BulkTask, { all, ids, next }: BulkForm, { response }: HttpContext): boolean {
    const query = new URLSearchParams([
      ...(all
        ? Object.entries({ ...all, all: '1' }).map(([name, value]) => [name, String(value)])
        : ids.map((id) => ['ids', id])),
      ['action', task.value],
      ['next', next],
    ] as Array<[string, string]>)
    const address = `${this.view.url(task.path)}?${query}`
    if (address.length > LONGEST_ADDRESS) return false
    response.status(303).header('location', address).send('')
    return true
  }

  /** Many records become a job, whose page is shown. [L8] */
  async #carryOutAll(task: BulkTask, all: AllMatching, form: BulkForm, ctx: HttpContext) {
    const isRead = ctx.request.method() !== 'POST'
    const selection = await SelectAll.read(ctx, this.site, this.view, task, all)
    const { keys, isJob } = selection
    if (isRead || (task.confirms && !form.isConfirmed)) {
      if (isNavigation(ctx) && this.#sendOn(task, form, ctx)) return
      return await this.#ask(task, keys, form, ctx, all)
    }
    if (isJob) {
      const job = await selection.startJob()
      return ctx.response.status(303).header('location', jobUrl(this.site, job)).send('')
    }
    const text = await task.run(keys, ctx)
    return await this.#redirectTo(ctx, form.next, { kind: 'success', text })
  }

  /**
   * Confirmation page that names the records. [B24]
   *
   * @param all  if they are all records of the list; the keys are the first ones then
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
    return await this.site.render(ctx, 'pages/confirm_bulk', {
      view: this.view,
      task,
      heading: task.heading(count),
      note: task.note(count),
      titles: records.slice(0, NAMED).map((record) => this.#titleOf(record, isVisible)),
      more: this.#more(count - NAMED),
      ids: all ? [] : keys.map((one) => key.toPath(one).slice(1)),
      all,
      next: form.next,
    })
  }

  #more(count: number): string | null {
    if (count < 1) return null
    return this.site.text('bulk.more', { count, shown: count.toLocaleString('en') })
  }

  /** A viewer who may not see the record sees its key only. [B14] */
  #titleOf(record: LucidRow, isVisible: boolean): string {
    const { resource } = this.view
    const item = isVisible ? new Reader(resource).toItem(record) : {}
    return cutText(this.view.titleOf(noteKey(item, resource.key.of(record))))
  }

  async #redirectTo(ctx: HttpContext, next: string, message: Flash) {
    await flashToNextPage(ctx, message)
    ctx.response.status(303).header('location', next).send('')
  }

  /** Parses the body itself, as the application's parser cuts forms of more than 1,000 fields. */
  async #read(ctx: HttpContext): Promise<BulkForm> {
    const body = await readBody(ctx, crudConfig().body)
    const { ids, action, next, confirmed } = body
    return {
      ids: [ids ?? []].flat() as string[],
      all: allOf(body),
      action,
      isConfirmed: confirmed === '1',
      next: await this.#nextOf(ctx, next),
    }
  }

  async #readQuery(ctx: HttpContext): Promise<BulkForm> {
    const query = new URLSearchParams(ctx.request.parsedUrl.query ?? '')
    return {
      ids: query.getAll('ids'),
      all: allOf(Object.fromEntries(query)),
      action: query.get('action') ?? undefined,
      isConfirmed: false,
      next: await this.#nextOf(ctx, query.get('next')),
    }
  }

  async #nextOf(ctx: HttpContext, wanted: unknown): Promise<string> {
    const list = (await this.view.isVisibleTo(ctx)) ? this.view.url('/') : this.site.url('/')
    return returnPath(this.site, wanted) ?? list
  }
}

/** A form that a browser sends to show its answer, which programs and scripts do not. */
function isNavigation({ request }: HttpContext): boolean {
  return request.method() === 'POST' && request.header('sec-fetch-mode') === 'navigate'
}

/** The box *all matching* counts whatever else is selected. */
function allOf({ all, query, count }: Record<string, unknown>): Record<string, unknown> | null {
  if (all !== '1') return null
  return { all: true, query, count: /^\d{1,15}$/.test(String(count)) ? Number(count) : null }
}
