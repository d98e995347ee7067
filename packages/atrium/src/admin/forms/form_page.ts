import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeValue } from '#base/values/to_api'
import { sentTexts } from '../http/form_texts.js'
import { inSentence, isInvisible } from '../text/plain_text.js'
import { cutText } from '../list/cell.js'
import type { ModelView } from '../views/model_view.js'
import { itemOf } from '../views/record_items.js'
import { relatedId, relatedSections } from '../record/related_list.js'
import { fieldViews } from './fields/field_view.js'
import type { FormField } from './fields/form_field.js'
import {
  textsInForm,
  changedFields,
  changesRecord,
  storedTexts,
} from './submission/unchanged_fields.js'
import { unseenFields } from '../views/visible_when.js'
import { Widget } from '../views/widget.js'
import { openedField, sealOpened } from './merge/opened_record.js'
import { storeListed } from './files/uploads.js'
import { sheetsOf } from './fields/widgets/widget_cells.js'
import { isInDialog, type WithDrafts } from './drafts/drafts.js'
import { OWNER, sealOwner } from './submission/sent_once.js'
import { offerNew } from './new_reference.js'
import { inlineSections, rowsIn, type InlineSection } from './inlines/inline_sections.js'
import { inLayoutOrder, layoutOf } from './layout/form_layout.js'
import { manyToManyFields } from './many_to_many/many_to_many_fields.js'
import type { FormFailure } from './submission/form_failure.js'
import { formFields, hiddenNames, readOnlyFields, type FormMode } from './fields/form_fields.js'
import { readSubmission, type Submission } from './submission/submission.js'
import { formFacts, formLinks, restoreOffer } from './form_details.js'
import { defaultTexts, valuesOfTexts, type FieldTexts } from './prefill/form_defaults.js'
import { nextField, versionField, type FormState } from './form_record.js'
import { guardOf, type AdminGuard } from '../identity/admin_guard.js'
import type { ListSite } from '../list/read_list.js'

const LONGEST_TITLE = 120

/** The parts of the site that forms need */
export interface FormSite extends ListSite, WithDrafts {
  readonly adminAuthentication: {
    /** Returns the seconds until the session ends. */
    remaining(
      ctx: HttpContext,
      signedIn: NonNullable<AdminGuard['signedIn']>
    ): { idle: number; limit: number }
  }
}

/** Form of a create or update page: blank, with a record, or with the errors of a submission. */
export class FormPage {
  constructor(
    readonly site: FormSite,
    readonly view: ModelView,
    readonly mode: FormMode,
    /** Names of the fields that are read-only for this record */
    readonly readOnlyHere: ReadonlySet<string> = new Set(),
    /** Many-to-many fields that the signed-in user can edit */
    readonly related: readonly FormField[] = [],
    /** Names of the fields that the options hide from the signed-in user */
    readonly hiddenHere: ReadonlySet<string> = new Set(),
    /** Texts of hidden fields of a new record, by API name */
    readonly hiddenTexts: FieldTexts = {}
  ) {}

  /**
   * Returns the form for the signed-in user, with many-to-many fields. A field that the user can write only on other
   * records is read-only.
   *
   * @param record  record to update; undefined for a create form
   */
  async of(ctx: HttpContext, record?: LucidRow): Promise<FormPage> {
    const { site, view, mode } = this
    const names = record && (await view.crud.readOnlyOn(record, view.callOptions(ctx)))
    const hidden = hiddenNames(ctx, view)
    const all =
      view.manyToMany.length > 0 ? await manyToManyFields(ctx, site, view, mode, record) : []
    const related = all.filter(({ name }) => !hidden.has(name))
    if (!names?.size && related.length === 0 && hidden.size === 0) return this
    const own = formFields(site, view, mode).filter(({ name }) => hidden.has(name))
    const texts = mode === 'create' ? await defaultTexts(ctx, view, own) : {}
    const readOnly = new Set([...(names ?? []), ...hidden])
    return new FormPage(site, view, mode, readOnly, related, hidden, texts)
  }

  /**
   * Returns the form with a single editable field; the other fields are read-only.
   *
   * @param name  API name of the field
   */
  only(name: string): FormPage {
    const { site, view, mode } = this
    const others = formFields(site, view, mode).filter((field) => field.name !== name)
    return new FormPage(site, view, mode, new Set(others.map((field) => field.name)))
  }

  get fields(): FormField[] {
    return this.#split(true)
  }

  /** Parses the submitted form, including inline rows, and stores the uploaded files of lists. */
  async read(ctx: HttpContext): Promise<Submission> {
    const { site, view, mode, fields } = this
    const submission = await readSubmission(fields, ctx, mode)
    if (submission.fileLists.size > 0) await storeListed(ctx, view, fields, submission)
    if (!view.options.inlines) return submission
    const { rows, rerenders } = await rowsIn(ctx, site, view, sentTexts(ctx))
    return {
      ...submission,
      rows,
      supplied: submission.supplied || rows.size > 0,
      rerenders: submission.rerenders || rerenders,
    }
  }

  /** Returns the editable fields of the form if `isWritten`, otherwise those that are read-only for this record. */
  #split(isWritten: boolean): FormField[] {
    const fields = formFields(this.site, this.view, this.mode)
    const own = fields.filter(({ name }) => this.readOnlyHere.has(name) !== isWritten)
    return isWritten ? [...own, ...this.related] : own
  }

  /** Returns the values of hidden fields of a new record, by API name. */
  get hiddenValues(): Record<string, unknown> {
    return valuesOfTexts(this.#split(false), this.hiddenTexts)
  }

  /**
   * Returns the current values of read-only fields that the schema requires, so that the update is valid without
   * changing them.
   */
  required(record: LucidRow): Record<string, unknown> {
    const attributes = record as unknown as Record<string, unknown>
    return Object.fromEntries(
      this.#split(false).flatMap(({ name, required, column }) =>
        required && column ? [[name, attributeValue(column, attributes)]] : []
      )
    )
  }

  /**
   * Restores the current values of the fields from `required` after validation, as the schema may convert values, for
   * example to datetimes without milliseconds.
   *
   * @param values  validated values, by attribute name
   */
  keepRequired(record: LucidRow, values: Record<string, unknown>): void {
    const attributes = record as unknown as Record<string, unknown>
    for (const { required, column } of this.#split(false)) {
      if (!required || !column || !Object.hasOwn(values, column.attribute)) continue
      values[column.attribute] = attributes[column.attribute]
    }
  }

  /**
   * Returns the failure of a submission that changes read-only fields, which happens if the user's roles have changed
   * since the form was rendered; null if it changes none.
   *
   * @param record  record to update; undefined for a create form
   */
  refusalOf(ctx: HttpContext, record?: LucidRow): FormFailure | null {
    const all = [...readOnlyFields(this.site, this.view, this.mode), ...this.#split(false)]
    const fields = all.filter(({ name }) => !this.hiddenHere.has(name))
    if (fields.length === 0) return null
    const changed = changedFields(fields, sentTexts(ctx), record)
    if (changed.length === 0) return null
    const names = changed.map(({ label }) => label).join(', ')
    return { error: this.site.text('form.readOnly', { fields: names }), fieldErrors: {} }
  }

  /**
   * Returns the names of the fields that `visibleWhen` hides, given the submitted values or else those of the record.
   */
  unseen(submission?: Submission, record?: LucidRow): Set<string> {
    const { site, view, mode } = this
    const fields = [...formFields(site, view, mode), ...this.related]
    const other = textsInForm(view, fields, submission, record)
    return unseenFields(fields, (name) => this.hiddenTexts[name] ?? other(name))
  }

  /** Returns the fields without those that `visibleWhen` hides regardless of what the user enters. */
  #offered(record?: LucidRow): FormField[] {
    const { fields } = this
    const names = new Set(fields.map(({ name }) => name))
    const other = textsInForm(this.view, [], undefined, record)
    const textsOf = (name: string) => this.hiddenTexts[name] ?? other(name)
    const never = unseenFields(fields, (name) => (names.has(name) ? null : textsOf(name)))
    return fields.filter(({ name }) => !never.has(name))
  }

  /**
   * Returns true if the submission changes the record.
   *
   * @param values  validated values, by attribute name
   */
  async changes(
    record: LucidRow,
    submission: Submission,
    values: Record<string, unknown>
  ): Promise<boolean> {
    const { columns } = this.view.resource
    return changesRecord(columns.all, submission, record, values, await this.own(record))
  }

  /** Returns the texts that the form shows for a record, by API name. */
  async texts(record: LucidRow): Promise<Record<string, string[]>> {
    return { ...storedTexts(this.fields, record), ...(await this.own(record)) }
  }

  /** Renders the page; for htmx only its content. */
  async render(ctx: HttpContext, state: FormState = {}): Promise<string> {
    const data = await this.data(ctx, state)
    const own = this.view.templates[this.mode]
    ctx.response.vary('HX-Request')
    if (this.mode === 'create' && isInDialog(ctx)) {
      return await this.site.render(ctx, 'partials/new_reference', data)
    }
    if (ctx.request.header('hx-request') !== undefined && own === undefined) {
      return await this.site.render(ctx, 'partials/form_content', data)
    }
    const panels = await this.#panels(ctx, state)
    /* Custom templates of applications may use the variable `panel` for the first panel. */
    const [panel = null] = panels
    return await this.site.renderPage(ctx, `pages/${this.mode}`, { ...data, panels, panel }, own)
  }

  /** Returns the template variables. Names in snake case are those documented for custom templates. */
  async data(ctx: HttpContext, state: FormState = {}) {
    const { record, given, givenRows, submission, failure, sent, restored } = state
    const { view, mode } = this
    const fields = inLayoutOrder(view.options.form, this.#offered(record))
    const own = record ? await this.own(record) : {}
    const stored = record && { ...storedTexts(fields, record), ...own }
    const isBlank = mode === 'create' && !submission
    const version = record && view.resource.columns.versionOf(record)
    const shownFields = fields.filter(({ secret }) => !secret)
    const defaults = isBlank ? await defaultTexts(ctx, view, shownFields) : {}
    const begin = isBlank ? { ...(await this.own()), ...defaults, ...given } : {}
    const filled = submission ? {} : restored?.texts
    const shown = this.#shown({ ...(stored ?? begin), ...filled }, submission)
    const errors = failure?.fieldErrors ?? {}
    const cleared = submission?.cleared ?? restored?.cleared ?? new Set<string>()
    const rows = submission ? submission.rows : givenRows
    const inlines = await inlineSections(ctx, this.site, view, record, rows, failure?.rows)
    const views = await fieldViews(ctx, this.site, view, fields, {
      shown,
      stored,
      record: record && view.resource.key.of(record),
      next: record && (await view.crud.transitionsOn(record, view.callOptions(ctx))),
      errors,
      cleared,
    })
    await offerNew(ctx, this.site, view, fields, views)
    restored?.mark(views)
    if (isBlank && views.length > 0) views[0].attributes.autofocus = true
    const links = await formLinks(ctx, this.site, view, record)
    const related = record ? await this.#related(ctx, record, inlines) : []
    return {
      ...links,
      view,
      mode,
      fields: views,
      blocks: layoutOf(view.options.form, views),
      error: failure?.error,
      restorable: await restoreOffer(ctx, view, failure, links.back),
      field_errors: errors,
      field_values: Object.fromEntries(
        Object.entries(shown).map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]])
      ),
      storedNotes: state.storedNotes,
      rest: this.site.adminAuthentication.remaining(ctx, guardOf(ctx).signedInOrFail()),
      owner: { name: OWNER, value: sealOwner(guardOf(ctx).signedInOrFail().owner.id) },
      nextField,
      goesOn: sentTexts(ctx).has(nextField),
      related,
      inlines,
      sheets: [
        'form_layout.css',
        'kept.css',
        ...sheetsOf(fields),
        ...(related.length > 0 ? ['records.css'] : []),
        ...(inlines.length > 0 ? ['inlines.css'] : []),
        ...inlines.flatMap((inline) => inline.sheets),
      ],
      takesFiles:
        fields.some(({ valueType }) => valueType === 'file') ||
        inlines.some(({ takesFiles }) => takesFiles),
      isUnsaved: submission !== undefined || Boolean(restored),
      restored: restored?.notice,
      title: record
        ? this.#title(record)
        : this.site.text('form.new', { one: inSentence(view.singular) }),
      version: record && {
        name: versionField,
        value: sent?.version ?? version,
        opened: {
          name: openedField,
          value: sent
            ? sent.sealed
            : sealOpened(ctx, { view, fields: this.fields, record, own }, version!),
        },
      },
      facts: record ? await formFacts(ctx, this, record) : [],
    }
  }

  /** Returns the related lists, without relations whose records are rows of the form. */
  async #related(ctx: HttpContext, record: LucidRow, inlines: readonly InlineSection[]) {
    const sections = await relatedSections(ctx, this.site, this.view, record)
    const own = inlines.filter(({ list }) => list === null).map((inline) => relatedId(inline))
    return sections.filter(({ id }) => !own.includes(id))
  }

  async #panels(ctx: HttpContext, { record, panelState }: FormState) {
    const { panel = [] } = this.view.options
    if (!record) return []
    return await Promise.all(
      [panel].flat().map(async (one) => ({
        template: one.template,
        sheet: one.sheet,
        place: one.place ?? 'below',
        data: await one.data(ctx, this.#shownOf(record), panelState),
      }))
    )
  }

  /** Returns the record for custom code, without values that the viewer cannot see. */
  #shownOf(record: LucidRow): LucidRow {
    return this.view.resource.reader.form.shown(record)
  }

  /** Returns the texts of fields that are not columns, by name: of a record, or of a blank form if there is none. */
  async own(record?: LucidRow): Promise<Record<string, string[]>> {
    const texts: Record<string, string[]> = {}
    for (const { name, widget, column } of this.fields) {
      if (column || !(widget instanceof Widget)) continue
      const own = record ? await widget.stored?.(this.#shownOf(record)) : await widget.initial?.()
      if (own) texts[name] = own
    }
    return texts
  }

  /** Returns the submitted values, otherwise stored ones, otherwise the initial values of a blank form. */
  #shown(stored: Record<string, string[]> | undefined, submission: Submission | undefined) {
    const shown: Record<string, string[]> = {}
    for (const field of this.fields) {
      const begin = this.mode === 'create' && !submission ? [...field.initial] : []
      const typed = field.secret ? undefined : submission?.shown[field.name]
      shown[field.name] = typed ?? stored?.[field.name] ?? begin
    }
    return shown
  }

  #title(record: LucidRow): string {
    const title = cutText(this.view.titleOf(itemOf(this.view, record)), LONGEST_TITLE)
    if (!isInvisible(title)) return title
    return `${this.view.singular} ${this.view.resource.key.of(record).join(', ')}`
  }
}
