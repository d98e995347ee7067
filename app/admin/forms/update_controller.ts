import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem, type Item } from '#crud'
import { type KeyValue, CompiledSchema, now, toApi } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { sentTexts } from '../http/form_texts.js'
import { flashToNextPage } from '../http/flash.js'
import type { ListParameters } from '../list/list_parameters.js'
import { openedList } from '../list/opened_list.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { assertVersion, showConflict } from './conflict.js'
import { failureOf, type FormFailure } from './submission/form_failure.js'
import { FormPage, itemOf, nextField, versionField } from './form_page.js'
import { goTo, goToList } from './go_to_list.js'
import { neighbourRecords } from './neighbour_records.js'
import { recordMessage } from './record_message.js'
import { validateSubmission } from './submission/validate_submission.js'
import { isForbidden, isMissing } from './submission/refusals.js'
import { readSubmission, type Submission } from './submission/submission.js'
import { isSameItem, keepUntouched, touchedFaults } from './submission/untouched.js'
import { Uploads } from './files/uploads.js'
import { NotAllowed, RowChanged } from '../errors.js'

interface Stored {
  /** Undefined if the user may not see it any more */
  item: Item | undefined
  isChanged: boolean
}

/**
 * Update page and its form. [S41 to S47, S49]
 */
export class UpdateController {
  readonly #form: FormPage

  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'update')
  }

  /**
   * Renders the form with the values of the record.
   */
  async page(ctx: HttpContext): Promise<unknown> {
    const found = await this.#find(ctx)
    if (!found) return this.#notFound(ctx)
    if (!(await may(ctx, this.view, 'update', found.record))) throw new NotAllowed()
    const form = await this.#form.of(ctx, found.record)
    return await form.render(ctx, found)
  }

  /**
   * Updates the record, or renders the form again with the faults and the submitted values.
   */
  async submit(ctx: HttpContext): Promise<unknown> {
    const found = await this.#find(ctx)
    if (!found) return this.#notFound(ctx)
    const form = await this.#form.of(ctx, found.record)
    const submission = await readSubmission(form.fields, ctx, 'update')
    const refusal = form.refusalOf(ctx, found.record)
    if (refusal) return await this.#again(ctx, form, found.record, submission, refusal, 403)
    if (submission.asksAgain) {
      return await this.#again(ctx, form, found.record, submission, undefined, 200)
    }
    if (!submission.supplied) {
      const failure = { error: this.site.text('form.unchanged'), fieldErrors: {} }
      return await this.#again(ctx, form, found.record, submission, failure)
    }
    const list = await openedList(ctx, this.site, this.view)
    /* The one that is next before the record may leave its place. */
    const next = goesOn(ctx) && list ? await this.#next(ctx, list, found.key) : null
    let stored: Stored
    try {
      stored = await this.#store(ctx, form, found.key, found.record, submission)
    } catch (error) {
      if (isMissing(error)) return this.#notFound(ctx)
      if (error instanceof RowChanged) return await this.#showConflict(ctx, submission, error)
      const failure = failureOf(this.site, form.fields, error)
      const status = isForbidden(error) ? 403 : 400
      return await this.#again(ctx, form, found.record, submission, failure, status)
    }
    const message = await recordMessage(
      ctx,
      this.site,
      this.view,
      stored.isChanged ? 'form.updated' : 'form.same',
      { key: found.key, title: stored.item && this.view.titleOf(stored.item, found.key) }
    )
    await flashToNextPage(ctx, message)
    if (next) goTo(ctx, next)
    else await goToList(this.site, this.view, ctx, list)
  }

  async #next(ctx: HttpContext, list: ListParameters, key: KeyValue): Promise<string | null> {
    const { next } = await neighbourRecords(ctx, this.view, list, key)
    return next
  }

  /**
   * Answers a submission without an id. [S41, B21]
   */
  async withoutId({ response }: HttpContext): Promise<unknown> {
    response.status(422)
    return { message: this.site.text('form.noId') }
  }

  async #store(
    ctx: HttpContext,
    form: FormPage,
    key: KeyValue,
    record: LucidRow,
    submission: Submission
  ): Promise<Stored> {
    const { resource, crud } = this.view
    const uploads = new Uploads(this.view, form.fields, submission)
    const version = versionIn(ctx)
    let item: Item | undefined
    let isChanged: boolean
    try {
      const withKey = {
        ...submission,
        values: { ...this.#keyIn(record), ...form.required(record), ...submission.values },
        faults: touchedFaults(form.fields, submission, record),
      }
      const values = await validateSubmission(resource.updateBody, withKey, uploads, {
        operation: 'update',
        key,
      })
      keepUntouched(form.fields, submission, record, values)
      const isSent = await form.changes(record, submission, values)
      await crud.update(
        key,
        { ...values, ...this.#internalValues() },
        {
          ...this.view.callOptions(ctx),
          files: uploads.names,
          precondition: (locked) => assertVersion(this.view, locked, version, values),
          written: (updated) => (item = updated),
        }
      )
      /* The model's own code may have changed what was not sent. */
      isChanged =
        isSent || (item !== undefined && !isSameItem(resource, itemOf(this.view, record), item))
    } catch (error) {
      await uploads.drop()
      throw error
    }
    await uploads.belongTo(key)
    await uploads.dropReplaced(record)
    return { item, isChanged }
  }

  /** A schema may require the key, which no form changes. [A7] */
  #keyIn(record: LucidRow): Record<string, unknown> {
    const attributes = record as unknown as Record<string, unknown>
    const keys = this.view.resource.updateBody.fields.filter(({ column }) => column?.isPrimary)
    return Object.fromEntries(
      keys.map(({ apiName, column }) => [apiName, toApi(column!, attributes[column!.attribute])])
    )
  }

  /** Current time, for fields of the internal schema. [S44] */
  #internalValues(): Record<string, unknown> {
    const { columns } = this.view.resource
    const schema = this.view.options.updateInternalSchema
    if (!schema) return {}
    const stamps = new CompiledSchema(schema, 'updateInternalSchema', this.view.name).fields
      .map(({ input }) => columns.find(input)!)
      .filter(({ apiName, name }) => [apiName, name].includes('updated_at'))
    return Object.fromEntries(stamps.map((column) => [column.attribute, now(column)]))
  }

  /** The record was changed in the meantime: writes nothing and shows both versions. [B25] */
  async #showConflict(ctx: HttpContext, submission: Submission, { values }: RowChanged) {
    const found = await this.#find(ctx)
    if (!found) return this.#notFound(ctx)
    const { record } = found
    return await showConflict(ctx, this.site, await this.#form.of(ctx, record), {
      record,
      submission,
      values,
    })
  }

  async #again(
    ctx: HttpContext,
    form: FormPage,
    record: LucidRow,
    submission: Submission,
    failure: FormFailure | undefined,
    status: number = 400
  ): Promise<unknown> {
    ctx.response.status(status)
    const version = versionIn(ctx)
    return await form.render(ctx, { record, submission, failure, version })
  }

  /** An id that is not valid for the key's type is not found. [B21] */
  async #find(ctx: HttpContext): Promise<{ key: KeyValue; record: LucidRow } | null> {
    let key: KeyValue
    try {
      key = this.view.resource.key.fromParams(ctx.params)
    } catch (error) {
      if (error instanceof Problem) return null
      throw error
    }
    const record = await this.view.crud.find(key, this.view.callOptions(ctx))
    return record && { key, record }
  }

  #notFound({ params, response }: HttpContext) {
    const id = this.view.resource.key.params.map((name) => params[name]).join(', ')
    response.status(404)
    return { message: this.site.text('form.notFound', { id }) }
  }
}

/** True for the button *Save and next*. [L11] */
function goesOn(ctx: HttpContext): boolean {
  return sentTexts(ctx).has(nextField)
}

function versionIn(ctx: HttpContext): string | undefined {
  return sentTexts(ctx).get(versionField)?.[0] || undefined
}
