import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { groupedNumber } from '#base/values/numbers'
import { type FormField, fieldName } from '../../forms/fields/form_field.js'
import { Widget } from '../../views/widget.js'
import { storedTexts } from '../../forms/submission/unchanged_fields.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { NotAllowed } from '../../http/errors.js'
import { fieldViews } from '../../forms/fields/field_view.js'
import type { FieldView } from '../../forms/fields/shown_field.js'
import { sheetsOf } from '../../forms/fields/widgets/widget_cells.js'
import type { Submission } from '../../forms/submission/submission.js'
import { hiddenNames } from '../../forms/fields/form_fields.js'
import { layoutOf } from '../../forms/layout/form_layout.js'
import { mayEach } from '../../permissions/may.js'
import type { BulkForm } from '../bulk_form.js'
import type { AllMatching } from '../matching_records.js'
import { titleInBulk, type RecordError } from './record_errors.js'
import { CHANGE, editableFields, fileFields } from './changes.js'
import type { EditTask } from './edit_task.js'

/**
 * Comparison of the values of several records in a field: all equal, all empty, or different. `unknown` if forms do not
 * show the stored value.
 */
type Agreement = 'same' | 'empty' | 'differs' | 'unknown'

/** The state of each field in a selection. */
interface Agreements {
  /** By API name */
  states: Record<string, Agreement>
  /** Form values of the fields that are equal in all records, by API name */
  shown: Record<string, string[]>
}

/**
 * Compares the form values of several records, field by field.
 *
 * @param records  records as visible to the viewer; at least one
 */
async function agreementsOf(
  view: ModelView,
  fields: readonly FormField[],
  records: readonly LucidRow[]
): Promise<Agreements> {
  const stored = records.map((record) => storedTexts(fields, record))
  const agreements: Agreements = { states: {}, shown: {} }
  for (const field of fields) {
    const { name } = field
    const texts = Object.hasOwn(stored[0], name)
      ? commonTexts(stored.map((one) => one[name]))
      : await ownTexts(view, field, records)
    if (Array.isArray(texts)) {
      agreements.shown[name] = texts
      agreements.states[name] = texts.some((text) => text !== '') ? 'same' : 'empty'
    } else {
      agreements.states[name] = texts
    }
  }
  return agreements
}

function commonTexts(all: ReadonlyArray<readonly string[]>): string[] | 'differs' {
  const [first, ...others] = all
  const id = JSON.stringify(first)
  return others.every((texts) => JSON.stringify(texts) === id) ? [...first] : 'differs'
}

/**
 * Returns the form values of a field without a column. The widget provides them, possibly with a query for each record.
 */
async function ownTexts(
  view: ModelView,
  { column, widget }: FormField,
  records: readonly LucidRow[]
): Promise<string[] | 'differs' | 'unknown'> {
  if (column || !(widget instanceof Widget) || !widget.stored) return 'unknown'
  let first: string[] | undefined
  for (const record of records) {
    const stored = await widget.stored(view.resource.reader.form.shown(record))
    const texts = stored.toSorted()
    first ??= texts
    if (commonTexts([first, texts]) === 'differs') return 'differs'
  }
  return first ?? 'unknown'
}

/* Maximum number of records listed next to the form, and below one error. */
const NAMED = 20
const NAMED_PER_ERROR = 5

/** State of the page. */
export interface EditState {
  task: EditTask
  /** Keys of the selected records, or of the first ones of all that match */
  keys: readonly KeyValue[]
  all: AllMatching | null
  form: BulkForm
  /** A rejected submission, shown again */
  submission?: Submission
  /** Names of the fields whose checkbox was checked */
  chosen?: ReadonlySet<string>
  error?: string
  errors?: readonly RecordError[]
}

/** Page of the bulk edit. */
export class EditPage {
  constructor(
    private readonly site: Site,
    private readonly view: ModelView
  ) {}

  /**
   * Renders the page.
   *
   * @throws BulkFailure 400  for a missing record
   * @throws NotAllowed       if the user cannot update one of the records, or any field
   */
  async render(ctx: HttpContext, state: EditState): Promise<string> {
    const { site, view } = this
    const { task, keys, all, form } = state
    const hidden = hiddenNames(ctx, view)
    const fields = editableFields(site, view).filter(({ name }) => !hidden.has(name))
    if (fields.length === 0) throw new NotAllowed()
    const records = await task.explain(ctx, () => view.crud.findMany(keys, view.callOptions(ctx)))
    const mayUpdate = await mayEach(ctx, view, 'update', keys)
    if (!keys.every(mayUpdate)) throw new NotAllowed()
    const agreements = await agreementsOf(view, fields, records)
    const isVisible = await view.isVisibleTo(ctx)
    const count = all?.count ?? records.length
    const shown = await this.#fields(ctx, fields, agreements, state)
    return await site.render(ctx, 'pages/bulk_edit', {
      view,
      task,
      title: task.title(count),
      fields: shown,
      blocks: layoutOf(view.options.form, shown),
      error: state.error,
      recordErrors: this.#errors(state.errors ?? []),
      files: fileFields(site, view).map(({ label }) => label),
      compared: count > records.length ? groupedNumber(records.length) : null,
      titles: records.slice(0, NAMED).map((record) => titleInBulk(view, record, isVisible)),
      more: this.#more(count - NAMED),
      ids: all ? [] : records.map((record) => this.#pathOf(view.resource.key.of(record))),
      all,
      next: form.next,
      sheets: ['bulk_edit.css', ...sheetsOf(fields)],
      isUnsaved: state.submission !== undefined,
    })
  }

  async #fields(
    ctx: HttpContext,
    fields: readonly FormField[],
    { states, shown: common }: Agreements,
    { submission, chosen, errors: violations = [] }: EditState
  ) {
    const shown: Record<string, string[]> = {}
    for (const { name, secret } of fields) {
      const typed = secret ? undefined : submission?.shown[name]
      shown[name] = typed ?? common[name] ?? []
    }
    const errors: Record<string, string> = {}
    for (const { field, message } of violations) if (field !== null) errors[field] ??= message
    const views = await fieldViews(ctx, this.site, this.view, fields, {
      shown,
      stored: undefined,
      errors,
      cleared: new Set(),
    })
    return views.map((field) => ({
      ...optional(field),
      change: {
        name: field.name + CHANGE,
        checked: chosen?.has(fieldName(field.name)) ?? false,
      },
      state: states[fieldName(field.name)],
    }))
  }

  /** Returns one entry for each error message, with the records that have the error. */
  #errors(errors: readonly RecordError[]) {
    const byMessage = Map.groupBy(errors, ({ message }) => message)
    return [...byMessage].map(([message, some]) => ({
      message,
      records: some.slice(0, NAMED_PER_ERROR).map(({ key, title }) => ({
        title,
        url: this.view.url(`/update/${this.#pathOf(key)}`),
      })),
      more: this.#more(some.length - NAMED_PER_ERROR),
    }))
  }

  #pathOf(key: KeyValue): string {
    return this.view.resource.key.toPath(key).slice(1)
  }

  #more(count: number): string | null {
    if (count < 1) return null
    return this.site.text('bulk.more', { count, shown: groupedNumber(count) })
  }
}

/** Makes a field optional, because no field has to be changed. */
function optional(field: FieldView): FieldView {
  const { required, ...attributes } = field.attributes
  return { ...field, attributes, required: false, clear: undefined }
}
