import { inputName, type FormField } from '../forms/fields/form_field.js'
import type { HttpContext } from '@adonisjs/core/http'
import { matchesStrongly, parseTags, type TagCondition } from '#base/http/etag'
import { attributeValue } from '#base/values/to_api'
import { NotAllowed, PageNotFound } from '../http/errors.js'
import { RowChanged } from '../forms/errors.js'
import { fieldViews } from '../forms/fields/field_view.js'
import { readOnlyFields } from '../forms/fields/form_fields.js'
import { findRecord, recordNotFound, type FoundRecord, shownValues } from '../forms/form_record.js'
import { FormPage, type FormSite } from '../forms/form_page.js'
import { saveForm } from '../forms/save_form.js'
import {
  failureOf,
  setFailureStatus,
  type FormFailure,
  isMissing,
} from '../forms/submission/form_failure.js'
import { readSubmission, type Submission } from '../forms/submission/submission.js'
import { storedTexts } from '../forms/submission/unchanged_fields.js'
import { sentTexts } from '../http/form_texts.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { ListPage } from '../list/list_page.js'
import type { ListParameters } from '../list/list_parameters.js'
import { openedList, withList, readList } from '../list/read_list.js'
import { editedFields } from './edited_fields.js'

/** A cell of a record that the user is allowed to update, with a form of only its field */
interface OpenCell extends FoundRecord {
  field: FormField
  form: FormPage
  /** The list that contains the cell */
  list: ListParameters
}

interface EditorState {
  submission?: Submission
  error?: string
  /** Markup of the row that contains the editor; set if it differs from the row that the list shows */
  row?: string | null
}

/** Renders and saves editors for cells of a list, in place. */
export class CellsController {
  readonly #form: FormPage
  readonly #list: ListPage

  constructor(
    private readonly site: FormSite,
    private readonly view: ModelView
  ) {
    this.#form = new FormPage(site, view, 'update')
    this.#list = new ListPage(site, view)
  }

  /** Renders the editor of one field of a record, with the record's version. */
  async edit(ctx: HttpContext): Promise<unknown> {
    const cell = await this.#open(ctx)
    if (!cell) return recordNotFound(ctx, this.site, this.view)
    return await this.#editor(ctx, cell)
  }

  /**
   * Updates the field and renders the row of the list. On an error it renders the editor with the error: 422; 403 if
   * the change is not allowed; 412 if the record's version differs from `If-Match`; 428 without the header.
   */
  async save(ctx: HttpContext): Promise<unknown> {
    const cell = await this.#open(ctx)
    if (!cell) return recordNotFound(ctx, this.site, this.view)
    const condition = conditionIn(ctx)
    if (condition === undefined) {
      ctx.response.status(428)
      return { message: this.site.text('list.cells.noVersion') }
    }
    const submission = await this.#submission(ctx, cell)
    if (!submission.supplied) {
      ctx.response.status(422)
      return await this.#again(ctx, cell, submission, this.#nothingSent(cell))
    }
    try {
      await saveForm(ctx, cell.form, submission, { found: cell }, (locked, values) => {
        const tag = `"${this.view.resource.columns.versionOf(locked)}"`
        if (!matchesStrongly(condition, tag)) throw new RowChanged(values)
      })
    } catch (error) {
      if (isMissing(error)) return recordNotFound(ctx, this.site, this.view)
      if (error instanceof RowChanged) return await this.#conflict(ctx, submission)
      const failure = failureOf(this.site, cell.form.fields, error)
      setFailureStatus(ctx, error, 422)
      return await this.#again(ctx, cell, submission, failure)
    }
    const row = await this.#list.row(ctx, cell.key, cell.list)
    return await this.site.render(ctx, 'partials/cell', { row, field: null })
  }

  /**
   * Finds the record and the field, and checks the permissions.
   *
   * @returns null if the record does not exist
   * @throws PageNotFound  if the column is not editable in the list
   * @throws NotAllowed    if the user is not allowed to change the field or the record
   */
  async #open(ctx: HttpContext): Promise<OpenCell | null> {
    const { site, view } = this
    const name = String(ctx.request.qs().field)
    const found = await findRecord(ctx, view)
    if (!found) return null
    const field = editedFields(site, view).get(name)
    if (!field) {
      const isReadOnly = readOnlyFields(site, view, 'update').some((one) => one.name === name)
      throw isReadOnly ? new NotAllowed() : new PageNotFound()
    }
    if (!(await may(ctx, view, 'update', found.record))) throw new NotAllowed()
    const form = await this.#form.of(ctx, found.record)
    const isUnseen = this.#form.unseen(undefined, found.record).has(name)
    if (form.readOnlyHere.has(name) || isUnseen) throw new NotAllowed()
    const list = (await openedList(ctx, site, view)) ?? (await readList(ctx, site, view, ''))
    return { ...found, field, form: form.only(name), list }
  }

  /** Reads the submission. In a cell, unlike in a form, an empty input clears the field. */
  async #submission(ctx: HttpContext, { field, form }: OpenCell): Promise<Submission> {
    const submission = await readSubmission(form.fields, ctx, 'update')
    const isEmptied =
      !submission.supplied && field.nullable && sentTexts(ctx).has(inputName(field.name))
    if (!isEmptied) return submission
    return {
      ...submission,
      values: { [field.name]: field.emptied },
      cleared: new Set([field.name]),
      supplied: true,
    }
  }

  #nothingSent({ field: { label } }: OpenCell): FormFailure {
    return { error: this.site.text('form.required', { label }), fieldErrors: {} }
  }

  /**
   * Renders the editor again with the submitted text and the record's new version, so that saving once more
   * overwrites the other change. The error contains the other value.
   */
  async #conflict(ctx: HttpContext, submission: Submission): Promise<unknown> {
    const cell = await this.#open(ctx)
    if (!cell) return recordNotFound(ctx, this.site, this.view)
    const row = await this.#list.row(ctx, cell.key, cell.list)
    const value = attributeValue(cell.field.column!, cell.record)
    const [{ text }] = await shownValues(ctx, this.site, cell.field, [value])
    const error = this.site.text('list.cells.changed', { value: text })
    ctx.response.status(412)
    return await this.#editor(ctx, cell, { submission, error, row })
  }

  async #again(
    ctx: HttpContext,
    cell: OpenCell,
    submission: Submission,
    { error, fieldErrors }: FormFailure
  ): Promise<unknown> {
    const own = fieldErrors[cell.field.name]
    const others = Object.values(fieldErrors).join(' ')
    return await this.#editor(ctx, cell, { submission, error: own ?? (others || error) })
  }

  async #editor(
    ctx: HttpContext,
    { form, field, key, record, list }: OpenCell,
    { submission, error, row = null }: EditorState = {}
  ): Promise<string> {
    const { site, view } = this
    const stored = storedTexts(form.fields, record)
    const [shown] = await fieldViews(ctx, site, view, form.fields, {
      shown: { ...stored, ...submission?.shown },
      stored,
      next: await view.crud.transitionsOn(record, view.callOptions(ctx)),
      errors: error === undefined ? {} : { [field.name]: error },
      cleared: new Set(),
    })
    const path = view.url(`/cell${view.resource.key.toPath(key)}`)
    return await site.render(ctx, 'partials/cell', {
      row,
      field: shown,
      action: withList(`${path}?field=${encodeURIComponent(field.name)}`, list),
      version: view.resource.columns.versionOf(record),
    })
  }
}

/**
 * Returns the condition in `If-Match`; undefined without this header.
 *
 * @throws Problem 400  for an invalid header
 */
function conditionIn({ request }: HttpContext): TagCondition | undefined {
  const header = request.header('if-match')
  return header === undefined ? undefined : parseTags('If-Match', header)
}
