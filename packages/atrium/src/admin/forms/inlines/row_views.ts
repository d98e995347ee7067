import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeValue } from '#base/values/to_api'
import type { Column } from '#base/columns/column'
import type { Site } from '../../views/site.js'
import type { RowError, RowErrors } from '../errors.js'
import { cellMarkup } from '../../list/rows_markup.js'
import { isIdentifier } from '../../list/table_columns.js'
import { referencesOf } from '../../relations/references.js'
import { SharedChoices, isChoice, isKeyOf } from '../fields/choices.js'
import { choiceOf } from '../../views/choice_options.js'
import { fieldViews } from '../fields/field_view.js'
import type { FieldView } from '../fields/shown_field.js'
import { inputName, type FormField } from '../fields/form_field.js'
import { submissionOf } from '../submission/submission.js'
import type { InlineRows, StoredRow } from './inline_rows.js'
import { cellsInRows, textsOfRow } from './row_values.js'
import { BEGIN, ID, REMOVE, VERSION, type SentRow, referredValue } from './rows.js'
import { offerNew } from '../new_reference.js'
import { readCondition } from '#base/columns/condition'
import { ListParameters } from '../../list/list_parameters.js'
import { figureCell } from '../../list/list_table.js'
import { listSummary, shownSummaries, type ListSummary } from '../../list/summaries/list_summary.js'
import { readSummaries, type Summary } from '../../list/summaries/summaries.js'
import { MoneyWidget } from '../fields/widgets/money_widget.js'
import { isForbidden } from '../submission/form_failure.js'

/** A cell of a row: a field, or a text if the user can't change it. */
interface CellView {
  name: string
  label: string
  field: FieldView | undefined
  kind: string
  markup: string
}

/**
 * Variables of a row's template.
 */
export interface RowView {
  id: string
  /** Row number shown to users, starting at 1 */
  number: number | string
  isNew: boolean
  /** True for a blank row that the server has added and the user has not submitted */
  isBlank: boolean
  /** Hidden inputs, such as those with the row's key and version */
  hidden: Array<{ name: string; value: string }>
  cells: CellView[]
  /** Input for the position */
  place: { id: string; name: string; value: string; error: string | undefined } | undefined
  remove: { name: string; checked: boolean } | undefined
  messages: string[]
}

/** A row to show. */
export interface ShownRow {
  /** Undefined for a new row */
  stored: StoredRow | undefined
  /** Undefined for a row that was not submitted */
  sent: SentRow | undefined
}

/** Creates the template variables of rows. The number of queries depends on the number of references, not of rows. */
export class RowViews {
  readonly #choices: SharedChoices
  readonly #texts = new Map<LucidRow, Map<string, { kind: string; markup: string }>>()

  private constructor(
    private readonly ctx: HttpContext,
    private readonly site: Site,
    private readonly rows: InlineRows,
    private readonly shown: readonly ShownRow[],
    private readonly errors: RowErrors
  ) {
    this.#choices = new SharedChoices(ctx, (column) => this.#currentOf(column), shown.length)
  }

  static async of(
    ctx: HttpContext,
    site: Site,
    rows: InlineRows,
    shown: readonly ShownRow[],
    errors: RowErrors
  ): Promise<RowViews> {
    const views = new RowViews(ctx, site, rows, shown, errors)
    await views.#readTexts()
    return views
  }

  /**
   * @param index   number of the row in input names
   * @param number  number of the row shown to users
   */
  async view(row: ShownRow, index: number | string, number: number | string): Promise<RowView> {
    const { inline, isSortable } = this.rows
    const { stored, sent } = row
    const prefix = `${inline.name}.${index}.`
    const error = sent && this.errors.get(`${inline.name}.${sent.index}`)
    const isNew = stored === undefined
    const { sort } = inline
    const typed = sort && sent?.texts.get(sort.apiName)?.at(-1)
    return {
      id: `row-${inline.name}.${index}`,
      number,
      isNew,
      isBlank: isNew && !sent && index !== '__index__',
      hidden: isNew ? this.#begin(prefix) : this.#hidden(prefix, stored, sent, error),
      cells: await this.#cells(row, prefix, error),
      place: isSortable
        ? {
            id: `field-${prefix}${sort!.apiName}`,
            name: prefix + sort!.apiName,
            value: typed ?? (isNew ? '' : String(number)),
            error: error?.fieldErrors[sort!.apiName],
          }
        : undefined,
      remove:
        isNew || stored.removal
          ? { name: prefix + REMOVE, checked: sent?.isRemoved ?? false }
          : undefined,
      messages: error?.messages ?? [],
    }
  }

  /**
   * Returns the hidden input with the initial dates and times of a blank row, if it has any. With it, a submitted row
   * is recognized as blank even if the defaults have changed since the form was rendered.
   */
  #begin(prefix: string): RowView['hidden'] {
    const { defaults } = this.rows
    const times = this.rows.fields.create.filter(
      ({ name, valueType }) => defaults[name] && (valueType === 'datetime' || valueType === 'time')
    )
    if (times.length === 0) return []
    const texts = Object.fromEntries(times.map(({ name }) => [name, defaults[name]]))
    return [{ name: prefix + BEGIN, value: JSON.stringify(texts) }]
  }

  #hidden(
    prefix: string,
    { id, record }: StoredRow,
    sent: SentRow | undefined,
    error: RowError | undefined
  ): RowView['hidden'] {
    const { resource } = this.rows.inline.view
    /*
     * After a conflict, the form gets the current version, so that saving again overwrites the changes of other users.
     */
    const version = error?.isChanged ? undefined : sent?.version
    return [
      { name: prefix + ID, value: id },
      { name: prefix + VERSION, value: version ?? resource.columns.versionOf(record) },
    ]
  }

  async #cells(row: ShownRow, prefix: string, error: RowError | undefined): Promise<CellView[]> {
    const { inline, fields } = this.rows
    const own = this.fieldsOf(row.stored)
    const views = await this.#fields(own, row, prefix, error)
    return fields.names.map((name): CellView => {
      const field = views.get(name)
      const text = row.stored && this.#texts.get(row.stored.record)?.get(name)
      return {
        name,
        label: inline.view.labelOf(name),
        field,
        kind: field ? 'field' : (text?.kind ?? 'none'),
        markup: field ? '' : (text?.markup ?? ''),
      }
    })
  }

  /** Returns the fields of a row that the user can write. */
  fieldsOf(stored: StoredRow | undefined): readonly FormField[] {
    const { create, update } = this.rows.fields
    if (!stored) return create
    return stored.mayUpdate ? update.filter(({ name }) => !stored.readOnly.has(name)) : []
  }

  async #fields(
    fields: readonly FormField[],
    { stored, sent }: ShownRow,
    prefix: string,
    error: RowError | undefined
  ): Promise<Map<string, FieldView>> {
    const known = stored ? await textsOfRow(this.rows, fields, stored.record) : {}
    const typed = sent
      ? submissionOf(fields, sent.texts, stored ? 'update' : 'create').shown
      : undefined
    const shown = Object.fromEntries(
      fields.map((field) => [
        field.name,
        (field.secret ? undefined : typed?.[field.name]) ??
          known[field.name] ??
          (stored ? [] : [...this.rows.initialOf(field)]),
      ])
    )
    const views = await fieldViews(this.ctx, this.site, this.rows.inline.view, fields, {
      shown,
      stored: stored && known,
      record: stored && this.rows.inline.view.resource.key.of(stored.record),
      errors: error?.fieldErrors ?? {},
      cleared: new Set(),
      prefix,
      choices: this.#choices,
    })
    await offerNew(this.ctx, this.site, this.rows.inline.view, fields, views)
    return new Map(views.map((view, index) => [fields[index].name, inCell(view)]))
  }

  /** Returns the stored, submitted and default values of a reference in all rows. */
  #currentOf(column: Column): unknown[] {
    return this.shown
      .flatMap(({ stored, sent }) => {
        const typed = sent?.texts.get(inputName(column.apiName))?.at(-1)
        const attributes = stored?.record as unknown as Record<string, unknown> | undefined
        const own = attributes && attributeValue(column, attributes)
        return [own, isKeyOf(column, typed) ? typed : undefined]
      })
      .concat(this.rows.defaults[column.apiName] ?? [])
  }

  /** Reads the texts of read-only cells, column by column. */
  async #readTexts(): Promise<void> {
    const { inline, fields } = this.rows
    const { view } = inline
    const references = referencesOf(this.site, view)
    for (const name of fields.names) {
      const column = view.resource.fields.find(({ apiName }) => apiName === name)
      const records = this.shown.flatMap(({ stored }) => {
        const isText = stored && !this.fieldsOf(stored).some((field) => field.name === name)
        return isText ? [stored.record] : []
      })
      if (!column || records.length === 0) continue
      const field = [...fields.update, ...fields.readOnly].find((one) => one.name === name)
      const cells = await cellsInRows(
        this.ctx,
        this.site,
        {
          column,
          reference: references.find((one) => one.column === column),
          widget: field?.widget ?? 'text',
          choices: isChoice(view, column) ? [] : undefined,
          labelOf: (value: string) => choiceOf(view, column.apiName, value)?.label,
          grouped: field?.grouped ?? !isIdentifier(view, column),
        },
        records
      )
      for (const [index, record] of records.entries()) {
        const texts = this.#texts.get(record) ?? new Map()
        texts.set(name, { kind: cells[index].kind, markup: cellMarkup(cells[index]) })
        this.#texts.set(record, texts)
      }
    }
  }
}

/**
 * Adapts a field to a cell. The browser must not require the field, as the row may be removed or blank. It has no
 * checkbox to clear it, as deleting its text does that.
 */
function inCell(view: FieldView): FieldView {
  const attributes = { ...view.attributes }
  for (const name of ['required', 'data-required', 'autofocus']) delete attributes[name]
  return { ...view, attributes, clear: undefined, hasCross: false }
}

/* Sample number: its text shows the script the units, decimals and separators of a figure */
const SAMPLE = 1_000_000

/** A figure that the script computes from the inputs of the rows. */
interface LiveFigure {
  /** Name of the input in a row */
  input: string
  /** Text of a figure, in which the script replaces the number */
  sample: string
}

type Figure = ListSummary['columns'][number]['figures'][number] & { live: LiveFigure | null }

/** Figures of the saved rows. */
export interface InlineTotals {
  columns: Array<{ label: string; figures: Figure[] }>
  failure: ListSummary['failure']
  /** True if no rows are saved, so that only the script has figures */
  isNew: boolean
}

/**
 * Returns the figures below the rows of a form, computed from the saved rows that the signed-in user can see; null if
 * there are none.
 *
 * @param record  parent record; undefined in a create form
 */
export async function inlineTotals(
  ctx: HttpContext,
  site: Site,
  rows: InlineRows,
  record: LucidRow | undefined
): Promise<InlineTotals | null> {
  const { view, summaries: words } = rows.inline
  const summaries = readSummaries(view, words.join())
  const found = summaries.length > 0 && (await savedTotals(ctx, site, rows, record, summaries))
  if (!found) return null
  const columns = found.columns.map(({ column, label, figures }) => ({
    label,
    figures: figures.map((one) => ({ ...one, live: liveFigure(site, rows, column, one.of) })),
  }))
  const all = columns.flatMap(({ figures }) => figures)
  const hasLive = all.some(({ live }) => live)
  for (const one of hasLive ? all.filter(({ live }) => !live) : []) {
    one.label = site.text('inlines.totals.saved', { of: one.label })
  }
  return record || hasLive ? { columns, failure: found.failure, isNew: !record } : null
}

async function savedTotals(
  ctx: HttpContext,
  site: Site,
  { inline }: InlineRows,
  record: LucidRow | undefined,
  summaries: readonly Summary[]
): Promise<ListSummary | null> {
  const value = record && referredValue(inline, record)
  if (!value) return { columns: shownSummaries(site, inline.view, summaries, {}), failure: null }
  const fixed = [readCondition(inline.column, 'eq', value)]
  try {
    return await listSummary(ctx, site, new ListParameters(inline.view, { fixed, summaries }))
  } catch (error) {
    if (isForbidden(error)) return null
    throw error
  }
}

/** Returns null for averages, and if the form does not contain the value of each row as a number. */
function liveFigure(site: Site, rows: InlineRows, column: Column, of: string): LiveFigure | null {
  const { fields, inline, isTooLong, mayCreate, stored } = rows
  const isNumber = (all: readonly FormField[]) =>
    all.some((field) => field.column?.apiName === column.apiName && isNumeric(field))
  const isWhole = stored.every((row) => row.mayUpdate && !row.readOnly.has(column.apiName))
  const isLive =
    of !== 'avg' &&
    !isTooLong &&
    isWhole &&
    (stored.length === 0 || isNumber(fields.update)) &&
    (!mayCreate || isNumber(fields.create))
  if (!isLive) return null
  const { text } = figureCell(site, inline.view, { column, of: 'sum' }, SAMPLE)
  return { input: inputName(column.apiName), sample: text }
}

function isNumeric({ widget }: FormField): boolean {
  return widget === 'number' || widget instanceof MoneyWidget
}
