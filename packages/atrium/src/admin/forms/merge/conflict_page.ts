import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { parseJson } from '#base/values/json'
import { attributeValue } from '#base/values/to_api'
import type { Column } from '#base/columns/column'
import type { Site } from '../../views/site.js'
import type { WithDatabase } from '../../config/database_config.js'
import { textCell, type ShownCell } from '../../list/cell.js'
import { cellMarkup } from '../../list/rows_markup.js'
import { isIdentifier } from '../../list/table_columns.js'
import { referencesOf } from '../../relations/references.js'
import { visibleText } from '../../text/plain_text.js'
import type { FormField } from '../fields/form_field.js'
import { Widget } from '../../views/widget.js'
import type { FormPage } from '../form_page.js'
import { shownValues, TAKE } from '../form_record.js'
import type { Submission } from '../submission/submission.js'
import { sentTexts } from '../../http/form_texts.js'
import { withList } from '../../list/read_list.js'
import type { ModelView } from '../../views/model_view.js'
import type { FieldView } from '../fields/shown_field.js'
import { type Conflict, type FormAttempt, withTexts, type Merge } from './merging_save.js'
import { ONESELF, otherEditors, type Editor } from './other_editors.js'

type MarkedCell = ShownCell & { markup: string }

/** Values of a field when the form was opened, as submitted, and now; undefined if unknown */
type ThreeCells = [MarkedCell | undefined, MarkedCell | undefined, MarkedCell | undefined]

/** Formats three versions of a record's fields for the conflict page. */
class ConflictCells {
  readonly #own: Promise<Record<string, string[]>>

  constructor(
    private readonly ctx: HttpContext,
    private readonly site: Site,
    private readonly form: FormPage,
    private readonly record: LucidRow,
    private readonly submission: Submission,
    private readonly conflict: Pick<Conflict, 'opened' | 'values'>
  ) {
    this.#own = form.own(record)
  }

  /**
   * Returns the three versions of a field.
   *
   * @param name  API name of a field that the viewer can see
   */
  async of(name: string): Promise<ThreeCells> {
    const field = this.form.fields.find((one) => one.name === name)
    if (field && !field.column) return await this.#ofOwn(field)
    const column = field?.column ?? this.form.view.resource.columns.find(name)!
    const now = this.#api(column, this.record as unknown as Record<string, unknown>)
    const known = [this.#opened(name), this.#sent(column), now]
    const values = known.filter((value) => value !== undefined)
    const shown = await shownValues(this.ctx, this.site, field ?? this.#fact(column), values)
    const cells = known.map((value) => (value === undefined ? undefined : marked(shown.shift()!)))
    const file = this.submission.files.get(name)
    if (file) cells[1] = marked(textCell(visibleText(file.clientName)))
    return cells as ThreeCells
  }

  /** Returns the three versions of a field that is not a column, with the titles of its choices. */
  async #ofOwn(field: FormField): Promise<ThreeCells> {
    const { name, widget } = field
    const choices = widget instanceof Widget ? await widget.choices?.(this.ctx) : undefined
    const labels = new Map(choices?.map(({ value, label }) => [value, label]))
    const cell = (texts: readonly string[] | undefined) =>
      texts && marked(textCell(texts.map((text) => labels.get(text) ?? text).join(', ')))
    const own = await this.#own
    return [
      cell(this.#opened(name) as string[] | undefined),
      cell(this.submission.shown[name]?.filter((text) => !choices || labels.has(text))),
      cell(own[name]),
    ]
  }

  #opened(name: string): unknown {
    const { opened } = this.conflict
    const json = opened && Object.hasOwn(opened.values, name) ? opened.values[name] : undefined
    return json === undefined ? undefined : parseJson(json, String)
  }

  #sent(column: Column): unknown {
    const { values } = this.conflict
    return Object.hasOwn(values, column.attribute) ? this.#api(column, values) : undefined
  }

  #api(column: Column, values: Record<string, unknown>): unknown {
    return attributeValue(column, values) ?? null
  }

  /** Returns the field properties of a column that the form does not contain. */
  #fact(column: Column) {
    const { site, form } = this
    const reference = referencesOf(site, form.view).find((one) => one.column === column)
    const isGrouped = !isIdentifier(form.view, column)
    return { column, reference, widget: 'text' as const, choices: undefined, grouped: isGrouped }
  }
}

function marked(cell: ShownCell): MarkedCell {
  return { ...cell, markup: cellMarkup(cell) }
}

/** Returns the name of the radio buttons for a field on the conflict page. */
function choiceOf(name: string): string {
  return TAKE + name
}

/**
 * Applies the choices of a conflict page to the submission of its form.
 *
 * @returns the submission with the record's texts for the fields in `given`, for which the user has chosen the record's
 *   value
 */
export async function withChoices(
  ctx: HttpContext,
  form: FormPage,
  record: LucidRow,
  submission: Submission
): Promise<{ submission: Submission; given: ReadonlySet<string> }> {
  const sent = sentTexts(ctx)
  const fields = form.fields.filter(({ name }) => sent.get(choiceOf(name))?.[0] === 'theirs')
  const texts = fields.length > 0 ? await form.texts(record) : {}
  return {
    submission: withTexts(withMissingFiles(ctx, form, submission), fields, texts),
    given: new Set(fields.map(({ name }) => name)),
  }
}

/**
 * Adds an error for each field for which the user has chosen the submitted file without selecting the file again, as a
 * page can't resubmit a file.
 */
function withMissingFiles(
  ctx: HttpContext,
  { fields, site }: FormPage,
  submission: Submission
): Submission {
  const sent = sentTexts(ctx)
  const missing = fields.filter(
    ({ multiple, name, valueType }) =>
      valueType === 'file' &&
      !multiple &&
      sent.get(choiceOf(name))?.[0] === 'mine' &&
      !submission.files.has(name) &&
      !submission.cleared.has(name)
  )
  const message = site.text('conflict.fileAgain')
  const errors = missing.map(({ name }) => ({ field: name, rule: 'file', message }))
  return { ...submission, errors: [...submission.errors, ...errors] }
}

/** A field that only one of the users has changed. */
export interface ChangedRow {
  label: string
  isMine: boolean
  whose: string
  /** Undefined if unknown */
  before: MarkedCell | undefined
  after: MarkedCell | undefined
}

/** A field that both users have changed. */
interface RequestedField {
  label: string
  /** Name of the two radio buttons */
  choice: string
  /** Undefined if unknown */
  before: MarkedCell | undefined
  theirs: MarkedCell | undefined
  /** Name of a submitted file, which the input cannot show */
  file: MarkedCell | undefined
  whose: string
  /** Input with the submitted text */
  field: FieldView
}

/**
 * Renders the conflict page, on which the user chooses the values of fields that both users have changed, and which
 * shows the fields that only one of them changed. Its form contains the merged values and the version of the current
 * record, so that saving it overwrites the record deliberately.
 *
 * @param attempt  the submission, with the current record as the viewer can see it
 */
export async function showConflict(
  ctx: HttpContext,
  site: Site & WithDatabase,
  { form, record, key, submission, restored }: FormAttempt,
  conflict: Conflict
): Promise<string> {
  const { view } = form
  const { merge, opened } = conflict
  const shown = await form.data(ctx, { record, submission, restored })
  const editors = opened
    ? await otherEditors(ctx, site, view, record, opened.at)
    : new Map<string, Editor>()
  const cells = new ConflictCells(ctx, site, form, record, submission, conflict)
  const data = {
    ...shown,
    fields: shown.fields.filter(({ name }) => !merge.asked.has(name)),
    asked: await Promise.all(
      shown.fields
        .filter(({ name }) => merge.asked.has(name))
        .map(async (field): Promise<RequestedField> => {
          const { name, label } = field
          const [before, mine, theirs] = await cells.of(name)
          const whose = whoseVersion(site, editors.get(name))
          const file = submission.files.has(name) ? mine : undefined
          return { label, choice: choiceOf(name), before, theirs, file, whose, field }
        })
    ),
    rows: await changedRows(site, view, merge, editors, cells),
    lost: lostFields(form.fields, submission).map(({ label }) => label),
    theirs: withList(view.url(`/update${view.resource.key.toPath(key)}`), shown.list),
  }
  ctx.response.status(409).vary('HX-Request')
  const isPart = ctx.request.header('hx-request') !== undefined
  return await site.render(ctx, isPart ? 'partials/conflict_content' : 'pages/conflict', data)
}

async function changedRows(
  site: Site,
  view: ModelView,
  { outcomes, theirs }: Merge,
  editors: ReadonlyMap<string, Editor>,
  cells: ConflictCells
): Promise<ChangedRow[]> {
  const mine = [...outcomes].flatMap(([name, outcome]) => (outcome === 'mine' ? [name] : []))
  const row = async (name: string, isMine: boolean): Promise<ChangedRow> => {
    const [before, typed, now] = await cells.of(name)
    return {
      label: view.labelOf(name),
      isMine,
      whose: isMine ? site.text('conflict.yourChange') : whoseChange(site, editors.get(name)),
      before,
      after: isMine ? typed : now,
    }
  }
  return await Promise.all([
    ...theirs.map((name) => row(name, false)),
    ...mine.map((name) => row(name, true)),
  ])
}

function whoseChange(site: Site, editor: Editor | undefined): string {
  if (editor === ONESELF) return site.text('conflict.otherWindow')
  return editor === undefined
    ? site.text('conflict.othersChange')
    : site.text('conflict.change', { name: editor })
}

function whoseVersion(site: Site, editor: Editor | undefined): string {
  if (editor === undefined || editor === ONESELF) return site.text('conflict.now')
  return site.text('conflict.version', { name: editor })
}

/** Returns the fields whose submitted values the page can't contain: files and secrets. */
function lostFields(fields: readonly FormField[], { files, shown }: Submission): FormField[] {
  return fields.filter(
    ({ name, secret }) => files.has(name) || (secret && shown[name]?.some((text) => text !== ''))
  )
}
