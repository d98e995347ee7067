import type { HttpContext } from '@adonisjs/core/http'
import { crudConfig } from '#crud'
import { readBody } from '#base/http/body'
import { withoutBigInts } from '#base/values/json'
import type { KeyValue } from '#base/columns/key'
import { BulkFailure } from '../errors.js'
import { NotAllowed } from '../../http/errors.js'
import { formFields, readOnlyFields, hiddenNames } from '../../forms/fields/form_fields.js'
import type { Submission } from '../../forms/submission/submission.js'
import { readBody as readFormBody } from '../../http/read_body.js'
import { jobUrl, acceptJob } from '../../jobs/pages/shown_job.js'
import type { ModelView } from '../../views/model_view.js'
import { inZoneOfForm } from '../../http/zone_of_person.js'
import { may } from '../../permissions/may.js'
import { callBody, idsOf, refuseCall, SelectAll } from '../bulk_calls.js'
import {
  bulkFormInQuery,
  bulkFormOf,
  isNavigation,
  keysIn,
  redirectToConfirmation,
  type BulkForm,
} from '../bulk_form.js'
import { readIds } from '../bulk_ids.js'
import { readAllMatching, type AllMatching } from '../matching_records.js'
import { changedNames, changesInBody, changesInForm, chosenIn } from './changes.js'
import { EditPage, type EditState } from './edit_page.js'
import { EditTask } from './edit_task.js'
import { RecordErrors } from './record_errors.js'
import { redirectWithMessage, redirect } from '../../http/redirect.js'
import type { BulkSite } from '../bulk_job.js'

/** Prefix of the page's internal fields, because a model can have a column named `count`. */
const OWN = '_'

interface Selection {
  /** Keys of all records, or of the first ones of a job */
  keys: KeyValue[]
  all: AllMatching | null
  job: SelectAll | null
}

/** Bulk edit: sets the same values on many records, by a page with a form or by JSON. */
export class EditController {
  readonly #page: EditPage

  constructor(
    private readonly site: BulkSite,
    private readonly view: ModelView
  ) {
    this.#page = new EditPage(site, view)
  }

  /** Shows the page, with the selection in the query. */
  async page(ctx: HttpContext): Promise<unknown> {
    await this.#check(ctx)
    const form = await bulkFormInQuery(ctx, this.site, this.view)
    return await this.#orBack(ctx, form, () => this.#ask(ctx, form))
  }

  /**
   * Handles the list's form, which is redirected to the page, and the page's form or JSON, which change the records.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    await this.#check(ctx)
    if (!ctx.request.is(['urlencoded', 'multipart'])) return await this.#call(ctx)
    let response: unknown
    await readFormBody(ctx, async () => {
      response = await this.#submitForm(ctx)
    })
    return response
  }

  async #check(ctx: HttpContext): Promise<void> {
    if (!(await may(ctx, this.view, 'update'))) throw new NotAllowed()
  }

  async #submitForm(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    const body = await readBody(ctx, crudConfig().body)
    if (body[`${OWN}edit`] !== '1') {
      const form = await bulkFormOf(ctx, site, view, body)
      return await this.#orBack(ctx, form, () => this.#ask(ctx, form))
    }
    const form = await bulkFormOf(ctx, site, view, ownFieldsOf(body))
    return await this.#orBack(ctx, form, () => inZoneOfForm(ctx, () => this.#save(ctx, form)))
  }

  async #ask(ctx: HttpContext, form: BulkForm): Promise<unknown> {
    const task = new EditTask(this.site, this.view)
    const { keys, all } = await this.#select(ctx, form, task)
    if (isNavigation(ctx) && redirectToConfirmation(this.view, task, form, ctx)) return
    return await this.#page.render(ctx, { task, keys, all, form })
  }

  async #save(ctx: HttpContext, form: BulkForm): Promise<unknown> {
    const { site, view } = this
    const hidden = hiddenNames(ctx, view)
    const known = [...formFields(site, view, 'update'), ...readOnlyFields(site, view, 'update')]
    const fields = known.filter(({ name }) => !hidden.has(name))
    const submission = await changesInForm(fields, ctx)
    const task = new EditTask(site, view, submission)
    const selection = await this.#select(ctx, form, task)
    const { keys, all } = selection
    const state = { task, keys, all, form, submission, chosen: chosenIn(fields, ctx) }
    if (submission.rerenders) return await this.#page.render(ctx, state)
    if (!submission.supplied) {
      return await this.#again(ctx, 422, { ...state, error: site.text('bulk.edit.none') })
    }
    try {
      return await this.#carryOut(ctx, form, task, selection, submission)
    } catch (error) {
      if (!(error instanceof RecordErrors)) throw error
      const { errors, status } = error
      const text = site.text('bulk.edit.errors')
      return await this.#again(ctx, status, { ...state, errors, error: text })
    }
  }

  async #again(ctx: HttpContext, status: number, state: EditState): Promise<unknown> {
    ctx.response.status(status)
    return await this.#page.render(ctx, state)
  }

  /** Runs the task. For many records it starts a job and redirects to the page of the job. */
  async #carryOut(
    ctx: HttpContext,
    form: BulkForm,
    task: EditTask,
    { keys, job }: Selection,
    submission: Submission
  ): Promise<void> {
    if (job) {
      await this.#checkJob(ctx, task, keys, submission)
      const started = await job.startJob()
      redirect(ctx, jobUrl(this.site, started))
      return
    }
    const text = await task.run(keys, ctx)
    await redirectWithMessage(ctx, form.next, { kind: 'success', text })
  }

  /**
   * Validates the first records, so that errors are shown before the job starts.
   *
   * @throws BulkFailure 422  for a value that jobs cannot store
   * @throws RecordErrors
   */
  async #checkJob(
    ctx: HttpContext,
    task: EditTask,
    keys: readonly KeyValue[],
    submission: Submission
  ): Promise<void> {
    const names = new Set(changedNames(submission))
    const secret = formFields(this.site, this.view, 'update').find(
      (field) => field.secret && names.has(field.name)
    )
    if (secret) throw new BulkFailure(422, 'bulk.edit.secret', { label: secret.label })
    await task.prepare(keys, ctx)
  }

  async #select(ctx: HttpContext, form: BulkForm, task: EditTask): Promise<Selection> {
    const all = form.all && readAllMatching(form.all)
    if (!all) return { keys: keysIn(form, this.view, task), all, job: null }
    const selection = await SelectAll.read(ctx, this.site, this.view, task, all)
    return { keys: selection.keys, all, job: selection.isJob ? selection : null }
  }

  /** Redirects to the list with an error message if the task is not possible. */
  async #orBack(
    ctx: HttpContext,
    { next }: BulkForm,
    work: () => Promise<unknown>
  ): Promise<unknown> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BulkFailure)) throw error
      const text = this.site.text(error.key, error.data)
      await redirectWithMessage(ctx, next, { kind: 'error', text })
      return
    }
  }

  /** Response for API clients: 200 `{ updated }`, or 422 `{ detail: [{ id, field, message }] }`. */
  async #call(ctx: HttpContext): Promise<unknown> {
    const { site, view } = this
    try {
      const body = await callBody(ctx)
      const submission = changesInBody(body.values)
      const task = new EditTask(site, view, submission)
      const all = readAllMatching(body)
      const selection = all && (await SelectAll.read(ctx, site, view, task, all))
      const keys = selection?.keys ?? readIds(view.resource.key, idsOf(body, task))
      if (selection?.isJob) {
        await this.#checkJob(ctx, task, keys, submission)
        acceptJob(ctx, site, await selection.startJob())
        return
      }
      await task.run(keys, ctx)
      return { updated: keys.length }
    } catch (error) {
      if (!(error instanceof RecordErrors)) return refuseCall(ctx, site, view, error)
      const { isComposite } = view.resource.key
      const detail = error.errors.map(({ key, field, message }) => ({
        id: withoutBigInts(isComposite ? key : key[0]),
        field,
        message,
      }))
      ctx.response.status(error.status).send({ detail })
    }
  }
}

/** Returns the page's fields for the selection, with the names that the list's form uses. */
function ownFieldsOf(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    ['ids', 'all', 'query', 'count', 'next'].map((name) => [name, body[OWN + name]])
  )
}
