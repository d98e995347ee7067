import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'
import { noteKey, Reader, toApi, versionOf } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import { historyLink } from '../events/pages/history_url.js'
import { sentTexts } from '../http/form_texts.js'
import { inSentence } from '../text/in_sentence.js'
import { cellsOf, cutText, isInvisible, textCell, type ShownCell } from '../list/cell.js'
import { cellMarkup } from '../list/cell_markup.js'
import { openedList, withList } from '../list/opened_list.js'
import type { ModelView } from '../model_view.js'
import { may } from '../permissions/may.js'
import { referencesOf, titlesOf, type Reference } from '../relations/references.js'
import { isForbidden } from './submission/refusals.js'
import { isChoice } from './fields/listed_choices.js'
import { fieldViews } from './fields/field_view.js'
import type { FormField } from './fields/form_field.js'
import { Widget } from './fields/widget.js'
import { neighbourRecords } from './neighbour_records.js'
import type { FormFailure } from './submission/form_failure.js'
import { formFields, readOnlyFields, type FormMode } from './fields/form_fields.js'
import type { Submission } from './submission/submission.js'
import { changedFields, changesRecord, storedTexts } from './submission/untouched.js'

const LONGEST_TITLE = 120

/**
 * Form field with the version of the record that an update form shows. [B25]
 */
export const versionField = '_version'

/**
 * Field of the button *Save and next*. [L11]
 */
export const nextField = '_next'

/**
 * State of a form page, in addition to the fields.
 */
export interface FormState {
  /** Record to update */
  record?: LucidRow
  /** Submitted values */
  submission?: Submission
  failure?: FormFailure
  /** Version that the form continues from. Default: the record's */
  version?: string
  /** State for the view's panel */
  panelState?: unknown
}

/**
 * Create and update pages, blank or with the faults of a submission. [S38, S47, S49]
 */
export class FormPage {
  constructor(
    protected readonly site: AdminSite,
    readonly view: ModelView,
    readonly mode: FormMode,
    /** Names of fields that are read-only on the record of the form */
    readonly readOnlyHere: ReadonlySet<string> = new Set()
  ) {}

  /**
   * The form of a record: what may be written on others only is read-only there. [U3]
   */
  async of(ctx: HttpContext, record: LucidRow): Promise<FormPage> {
    const { site, view, mode } = this
    const names = await view.crud.readOnlyOn(record, view.callOptions(ctx))
    return names.size > 0 ? new FormPage(site, view, mode, names) : this
  }

  get fields(): FormField[] {
    return this.#split(true)
  }

  /** The fields of the view's form that the record's form has, or those that it lacks */
  #split(isWritten: boolean): FormField[] {
    const fields = formFields(this.site, this.view, this.mode)
    if (this.readOnlyHere.size === 0) return isWritten ? fields : []
    return fields.filter(({ name }) => this.readOnlyHere.has(name) !== isWritten)
  }

  /**
   * Values of read-only fields that the schema requires: what a record has is no write.
   */
  required(record: LucidRow): Record<string, unknown> {
    const attributes = record as unknown as Record<string, unknown>
    return Object.fromEntries(
      this.#split(false).flatMap(({ name, required, column }) =>
        required && column ? [[name, toApi(column, attributes[column.attribute])]] : []
      )
    )
  }

  /**
   * Refuses a submission that changes read-only fields: the form can be older than the user's roles.
   * [U3]
   *
   * @param record  of an update
   */
  refusalOf(ctx: HttpContext, record?: LucidRow): FormFailure | null {
    const fields = [...readOnlyFields(this.site, this.view, this.mode), ...this.#split(false)]
    if (fields.length === 0) return null
    const changed = changedFields(fields, sentTexts(ctx), record)
    if (changed.length === 0) return null
    const names = changed.map(({ label }) => label).join(', ')
    return { error: this.site.text('form.readOnly', { fields: names }), fieldErrors: {} }
  }

  /**
   * Returns true if the submission changes the record.
   *
   * @param values  by attribute name, after the schema
   */
  async changes(
    record: LucidRow,
    submission: Submission,
    values: Record<string, unknown>
  ): Promise<boolean> {
    const { columns } = this.view.resource
    return changesRecord(columns.all, submission, record, values, await this.#own(record))
  }

  /**
   * Renders the page; for htmx only its content.
   */
  async render(ctx: HttpContext, state: FormState = {}): Promise<string> {
    const data = await this.data(ctx, state)
    const own = this.view.templates[this.mode]
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') !== undefined && own === undefined) {
      return await this.site.render(ctx, 'partials/form_content', data)
    }
    const panel = await this.#panel(ctx, state)
    return await this.site.renderPage(ctx, `pages/${this.mode}`, { ...data, panel }, own)
  }

  /**
   * Variables of the templates. Names in snake case are those of the specification.
   */
  async data(ctx: HttpContext, { record, submission, failure, version }: FormState = {}) {
    const { fields, view, mode } = this
    const stored = record && { ...storedTexts(fields, record), ...(await this.#own(record)) }
    const isBlank = mode === 'create' && !submission
    const begin = isBlank ? await this.#own() : {}
    const shown = this.#shown(stored ?? begin, submission)
    const errors = failure?.fieldErrors ?? {}
    const cleared = submission?.cleared ?? new Set<string>()
    const views = await fieldViews(ctx, this.site, view, fields, {
      shown,
      stored,
      errors,
      cleared,
    })
    const key = record && view.resource.key.of(record)
    const path = key && view.resource.key.toPath(key)
    const isListed = await view.isVisibleTo(ctx)
    const list = isListed ? await openedList(ctx, this.site, view) : null
    const history = key ? historyLink(ctx, view, key) : null
    return {
      view,
      mode,
      fields: views,
      error: failure?.error,
      field_errors: errors,
      field_values: Object.fromEntries(
        Object.entries(shown).map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]])
      ),
      action: withList(view.url(path === undefined ? '/form_create' : `/form_update${path}`), list),
      history: history && withList(history, list),
      list,
      neighbours: list && key ? await neighbourRecords(ctx, view, list, key) : null,
      nextField,
      goesOn: sentTexts(ctx).has(nextField),
      back: isListed ? (list?.url ?? view.url('/')) : this.site.url('/'),
      isListed,
      sheets: fields.flatMap(({ widget }) =>
        widget instanceof Widget ? (widget.sheet ?? []) : []
      ),
      takesFiles: fields.some(({ valueType }) => valueType === 'file'),
      isUnsaved: submission !== undefined,
      title: record
        ? this.#title(record)
        : this.site.text('form.new', { one: inSentence(view.singular) }),
      version: record && {
        name: versionField,
        value: version ?? versionOf(view.resource, record),
      },
      facts: record ? await this.#readOnlyValues(ctx, record) : [],
      remove: path !== undefined &&
        (await may(ctx, view, 'delete', record)) && {
          url: view.url('/form_bulk_delete'),
          id: path.slice(1),
        },
    }
  }

  async #panel(ctx: HttpContext, { record, panelState }: FormState) {
    const { panel } = this.view.options
    if (!panel || !record) return null
    const { template, sheet, place = 'below' } = panel
    return {
      template,
      sheet,
      place,
      data: await panel.data(ctx, this.#shownOf(record), panelState),
    }
  }

  /** For own code, whose work is shown. [U3] */
  #shownOf(record: LucidRow): LucidRow {
    return this.view.resource.reader.shown(record)
  }

  /** Values that widgets provide themselves, of a record or for a blank form */
  async #own(record?: LucidRow): Promise<Record<string, string[]>> {
    const texts: Record<string, string[]> = {}
    for (const { name, widget, column } of this.fields) {
      if (column || !(widget instanceof Widget)) continue
      const own = record ? await widget.stored?.(this.#shownOf(record)) : await widget.initial?.()
      if (own) texts[name] = own
    }
    return texts
  }

  /** Submitted values, else stored ones, else the initial values of a blank form. [S47] */
  #shown(stored: Record<string, string[]> | undefined, submission: Submission | undefined) {
    const shown: Record<string, string[]> = {}
    for (const field of this.fields) {
      const begin = this.mode === 'create' && !submission ? [...field.initial] : []
      const typed = field.secret ? undefined : submission?.shown[field.name]
      shown[field.name] = typed ?? stored?.[field.name] ?? begin
    }
    return shown
  }

  /** The form is shown without titles of other records rather than not at all. */
  async #titleOf(ctx: HttpContext, reference: Reference, value: unknown) {
    try {
      const titles = await titlesOf(ctx, reference, [value])
      return titles.get(String(value))
    } catch (error) {
      if (!isForbidden(error)) ctx.logger.error({ err: error }, 'A title could not be read')
      return undefined
    }
  }

  #title(record: LucidRow): string {
    const title = cutText(this.view.titleOf(itemOf(this.view, record)), LONGEST_TITLE)
    if (!isInvisible(title)) return title
    return `${this.view.singular} ${this.view.resource.key.of(record).join(', ')}`
  }

  /** Visible fields of the record that the form does not have. */
  async #readOnlyValues(ctx: HttpContext, record: LucidRow) {
    const names = new Set(this.fields.filter(({ hidden }) => !hidden).map(({ name }) => name))
    const item = itemOf(this.view, record)
    const references = referencesOf(this.site, this.view)
    const facts = this.view.resource.fields
      .filter(({ apiName }) => !names.has(apiName))
      .map(async (column) => {
        const value = item[column.apiName]
        const reference = references.find((one) => one.column === column)
        const options = {
          isGrouped: false,
          isChoice: !reference && isChoice(this.view, column),
          text: (key: string, data?: Record<string, unknown>) => this.site.text(key, data),
        }
        const [cell] = cellsOf(column, [value], options)
        const title = reference && (await this.#titleOf(ctx, reference, value))
        const label = this.view.labelOf(column.apiName)
        const shown: ShownCell = title ? textCell(title) : cell
        return { label, kind: shown.kind, title: shown.title, markup: cellMarkup(shown) }
      })
    return await Promise.all(facts)
  }
}

/** The item of a record as the user sees it, with its key. */
export function itemOf(view: ModelView, record: LucidRow): Item {
  const item = new Reader(view.resource).toItem(record)
  return noteKey(item, view.resource.key.of(record))
}
