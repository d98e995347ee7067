import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Site } from '../../views/site.js'
import type { RowErrors } from '../errors.js'
import { filteredUrl } from '../../list/list_address.js'
import { sentFiles } from '../../http/form_texts.js'
import type { ModelView } from '../../views/model_view.js'
import { inputName } from '../fields/form_field.js'
import { Widget } from '../../views/widget.js'
import { sheetsOf } from '../fields/widgets/widget_cells.js'
import { inSentence } from '../../text/plain_text.js'
import { seenInlines, type Inline } from './inline.js'
import { InlineRows, rowFields, byNumber, typedPlace } from './inline_rows.js'
import {
  inlineTotals,
  type InlineTotals,
  RowViews,
  type RowView,
  type ShownRow,
} from './row_views.js'
import { storeRowFiles, isBlank } from './row_values.js'
import { MORE, sentRows, type SentRow, type SentRows, MOST_ROWS, referredValue } from './rows.js'

/** Variables of the template of an inline. */
export interface InlineSection {
  id: string
  /** Name of the relation */
  name: string
  label: string
  /** Singular of the model, for use in a sentence */
  one: string
  columns: Array<{ name: string; label: string; required: boolean; unit: string | undefined }>
  rows: RowView[]
  /**
   * Template of a new row for the script, with `__index__` instead of the number; null if the user is not allowed to
   * add rows
   */
  blank: RowView | null
  /** Number of the next new row in input names */
  next: number
  isSortable: boolean
  isOne: boolean
  hasRemove: boolean
  takesFiles: boolean
  /** Accepted types of the file input that adds a row for each file; null if the rows have no field for a file */
  files: { accept: string | undefined } | null
  /** Name of the button that adds blank rows; null if there is none */
  more: string | null
  messages: string[]
  /** Texts for the script, as JSON */
  texts: string
  /** URL of the list if there are more rows than a form can contain */
  list: string | null
  /** Figures below the rows */
  totals: InlineTotals | null
  /** Stylesheets of the widgets in the rows */
  sheets: string[]
  /** Errors, with the ids of the invalid elements */
  errors: Array<{ id: string; text: string }>
}

/**
 * Reads the submitted rows of a form, and stores their files. The names of their inputs start with the name of the
 * relation.
 *
 * @param view  the view, limited by the user's roles
 * @returns the rows by relation, and true if a button was pressed that renders the form again without saving
 */
export async function rowsIn(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  sent: ReadonlyMap<string, readonly string[]>
): Promise<{ rows: Map<string, SentRows>; rerenders: boolean }> {
  const rows = new Map<string, SentRows>()
  let rerenders = false
  for (const inline of await seenInlines(ctx, site, view)) {
    const own = sentRows(withFiles(ctx, sent), inline.name)
    if (own.rows.length === 0 && !own.wantsMore) continue
    const { create, update } = rowFields(site, inline)
    for (const row of own.rows) {
      const isNew = row.id === null
      if (!inline.view.may(isNew ? 'create' : 'update')) continue
      await storeRowFiles(ctx, inline, isNew ? create : update, row)
    }
    rows.set(inline.name, own)
    rerenders ||= own.wantsMore || own.rows.some((row) => widgetRerenders(site, inline, row))
  }
  return { rows, rerenders }
}

/** Adds the names of uploaded files, as a row may contain nothing else. */
function withFiles(ctx: HttpContext, sent: ReadonlyMap<string, readonly string[]>) {
  const files = Object.keys(sentFiles(ctx)).filter((name) => !sent.has(name))
  return new Map([...sent, ...files.map((name): [string, string[]] => [name, []])])
}

/** Returns true if a button of a widget in the row was pressed, such as a preview. */
function widgetRerenders(site: Site, inline: Inline, { texts }: SentRow): boolean {
  const { create, update } = rowFields(site, inline)
  return [...create, ...update].some(
    ({ name, widget }) => widget instanceof Widget && widget.rerenders?.(inputName(name), texts)
  )
}

/**
 * Returns the template variables of a form's inlines.
 *
 * @param view    view of the parent, limited by the user's roles
 * @param record  parent record; undefined in a create form
 * @param given   submitted or copied rows, by relation
 */
export async function inlineSections(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  record: LucidRow | undefined,
  given: ReadonlyMap<string, SentRows> | undefined,
  errors: RowErrors = new Map()
): Promise<InlineSection[]> {
  const sections: InlineSection[] = []
  for (const inline of await seenInlines(ctx, site, view)) {
    const rows = await InlineRows.read(ctx, site, inline, record)
    if (rows.stored.length === 0 && !rows.mayCreate && !rows.isTooLong) continue
    const sent = given?.get(inline.name)
    sections.push(await sectionOf(ctx, site, rows, record, sent, errors))
  }
  focusFirst(sections)
  return sections
}

async function sectionOf(
  ctx: HttpContext,
  site: Site,
  rows: InlineRows,
  record: LucidRow | undefined,
  sent: SentRows | undefined,
  errors: RowErrors
): Promise<InlineSection> {
  const { inline } = rows
  const { view } = inline
  const filled = rows.isTooLong ? [] : shownRows(rows, sent)
  const spare = unusedRows(rows, filled, sent)
  const shown = [...filled, ...spare]
  const views = await RowViews.of(ctx, site, rows, shown, errors)
  const rowViews: RowView[] = []
  for (const [index, row] of shown.entries()) {
    rowViews.push(await views.view(row, index, index + 1))
  }
  const blank =
    rows.mayCreate && !rows.isTooLong
      ? await views.view({ stored: undefined, sent: undefined }, '__index__', '__number__')
      : null
  const value = record && referredValue(inline, record)
  const section = {
    id: `inline-${inline.name}`,
    name: inline.name,
    label: inline.label,
    one: inSentence(view.singular),
    columns: columnsOf(rows, [...rowViews, ...(blank ? [blank] : [])]),
    rows: rowViews,
    blank,
    next: shown.length,
    isSortable: rows.isSortable && !inline.isOne,
    isOne: inline.isOne,
    hasRemove: [...rowViews, ...(blank ? [blank] : [])].some(({ remove }) => remove),
    takesFiles: [...rows.fields.create, ...rows.fields.update].some(
      ({ valueType }) => valueType === 'file'
    ),
    files: inline.isOne ? null : filesInput(blank),
    more: blank && !inline.isOne ? `${inline.name}.${MORE}` : null,
    messages: messagesOf(inline, shown, errors),
    texts: JSON.stringify(textsOf(site, inline)),
    totals: await inlineTotals(ctx, site, rows, record),
    sheets: sheetsOf([...rows.fields.create, ...rows.fields.update]),
    list: rows.isTooLong && value ? filteredUrl(inline.view, [[inline.column, value]]) : null,
  }
  return { ...section, errors: errorsOf(site, section) }
}

/**
 * Returns submitted rows, followed by stored rows that were not submitted; only stored rows if none were submitted.
 */
function shownRows(rows: InlineRows, sent: SentRows | undefined): ShownRow[] {
  const named = new Set<string>()
  const shown: Array<ShownRow & { sent: NonNullable<ShownRow['sent']> }> = []
  for (const row of sent?.rows ?? []) {
    const stored = row.id === null ? undefined : rows.find(row.id)
    if (stored && named.has(stored.id)) continue
    if (stored) named.add(stored.id)
    /*
     * Rows that no longer exist are shown as new ones. Removed and blank rows are left out, and all of them if the user
     * is not allowed to create rows.
     */
    else if (row.isRemoved || !rows.mayCreate || isBlank(rows, row)) continue
    shown.push({ stored, sent: row })
  }
  const typed = shown.map((row) => ({ ...row, typed: placeOrNull(rows, row.sent) }))
  const inOrder = rows.isSortable ? typed.toSorted(byNumber) : typed
  const others = rows.stored.filter(({ id }) => !named.has(id))
  return [...inOrder, ...others.map((stored) => ({ stored, sent: undefined }))]
}

/** Returns the messages about the relation, and about rows that are not shown again. */
function messagesOf(inline: Inline, shown: readonly ShownRow[], errors: RowErrors): string[] {
  const places = new Set(shown.map(({ sent }) => sent && `${inline.name}.${sent.index}`))
  const own = [...errors].filter(
    ([place]) =>
      place === inline.name || (place.startsWith(`${inline.name}.`) && !places.has(place))
  )
  return [...new Set(own.flatMap(([, { messages }]) => messages))]
}

function placeOrNull(rows: InlineRows, sent: NonNullable<ShownRow['sent']>): number | null {
  const typed = typedPlace(rows, sent)
  return Number.isNaN(typed) ? null : typed
}

/** Returns blank rows, for browsers without JavaScript. */
function unusedRows(
  rows: InlineRows,
  filled: readonly ShownRow[],
  sent: SentRows | undefined
): ShownRow[] {
  const { inline, isTooLong, mayCreate } = rows
  if (!mayCreate || isTooLong) return []
  const room = Math.max(0, MOST_ROWS - filled.length)
  const wanted = inline.isOne ? Number(filled.length === 0) : inline.spare
  const blank = (sent?.rows ?? []).filter((row) => row.id === null && isBlank(rows, row)).length
  const count = sent?.wantsMore ? blank + Math.max(1, inline.spare) : wanted
  return Array.from({ length: Math.min(count, room) }, () => ({
    stored: undefined,
    sent: undefined,
  }))
}

function columnsOf({ fields, inline }: InlineRows, shown: readonly RowView[]) {
  return fields.names.map((name) => {
    const views = shown.flatMap(
      ({ cells }) => cells.find((cell) => cell.name === name)?.field ?? []
    )
    return {
      name,
      label: inline.view.labelOf(name),
      required: views.some(({ required }) => required),
      unit: views.find(({ unit }) => unit !== undefined)?.unit,
    }
  })
}

function filesInput(blank: RowView | null): InlineSection['files'] {
  const field = blank?.cells.find((cell) => cell.field?.files)?.field
  const accept = field?.attributes.accept
  return field ? { accept: typeof accept === 'string' ? accept : undefined } : null
}

function textsOf(site: Site, { view }: Inline): Record<string, string> {
  const one = view.singular
  const names = ['up', 'down', 'remove', 'keep', 'added', 'removed', 'restored', 'moved'] as const
  return Object.fromEntries(
    names.map((name) => [name, site.text(`inlines.script.${name}`, { one, row: '{row}' })])
  )
}

function errorsOf(
  site: Site,
  { id, label, messages, rows }: Omit<InlineSection, 'errors'>
): InlineSection['errors'] {
  const inRow = (number: RowView['number'], message: string) =>
    site.text('inlines.inRow', { label, row: number }) + message
  return [
    ...messages.map((text) => ({ id, text })),
    ...rows.flatMap((row) => [
      ...row.messages.map((text) => ({ id: row.id, text: inRow(row.number, text) })),
      ...(row.place?.error ? [{ id: row.place.id, text: inRow(row.number, row.place.error) }] : []),
      ...row.cells.flatMap(({ field }) =>
        field?.error ? [{ id: field.id, text: inRow(row.number, field.error) }] : []
      ),
    ]),
  ]
}

/** Sets the focus to the first invalid field. */
function focusFirst(sections: readonly InlineSection[]): void {
  for (const { rows } of sections) {
    for (const { cells, messages } of rows) {
      const field =
        cells.find((cell) => cell.field?.error)?.field ??
        (messages.length > 0 ? cells.find((cell) => cell.field)?.field : undefined)
      if (!field) continue
      field.attributes.autofocus = true
      return
    }
  }
}
