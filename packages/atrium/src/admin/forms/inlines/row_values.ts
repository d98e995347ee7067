import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import { attributeValue } from '#base/values/to_api'
import type { Site } from '../../views/site.js'
import { Uploads, storeForList } from '../files/uploads.js'
import { WaitingFiles } from '../files/waiting_files.js'
import { type FormField, inputName } from '../fields/form_field.js'
import { formFields } from '../fields/form_fields.js'
import { valuesOfTexts } from '../prefill/form_defaults.js'
import { textsInForm, isSame, storedTexts } from '../submission/unchanged_fields.js'
import { unseenFields } from '../../views/visible_when.js'
import { Widget } from '../../views/widget.js'
import { submissionOf, withoutUnseen, type Submission } from '../submission/submission.js'
import {
  internalValues,
  validateChanges,
  validateSubmission,
} from '../submission/submitted_values.js'
import type { ShownCell } from '../../list/cell.js'
import { shownValues } from '../form_record.js'
import type { InlineRows, StoredRow, RowChange } from './inline_rows.js'
import type { SentRow } from './rows.js'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import { keyOf } from '#base/items'
import type { Item } from '#crud'
import { dropFilesOf } from '../files/file_store.js'
import { sentFiles } from '../../http/form_texts.js'
import { isFileList } from '../files/file_fields.js'
import { FILE, LIST } from '../files/file_list_view.js'
import type { Inline } from './inline.js'

/** Values of a row by attribute name, after validation. */
type Values = Record<string, unknown>

/** Returns true if a new row has only the initial values of a blank row. */
export function isBlank(rows: InlineRows, { texts, begin, errors }: SentRow): boolean {
  if (errors.length > 0) return false
  const { fields, inline, mayCreate } = rows
  /* Without permission to create rows, the form had no blank row with initial values, so any text counts. */
  if (!mayCreate) {
    const own = [...texts].filter(([name]) => name !== inline.sort?.apiName)
    return own.every(([, sent]) => sent.every((text) => text.trim() === ''))
  }
  const { shown } = submissionOf(fields.create, texts, 'create')
  return fields.create.every((field) => {
    const sent = filled(field, shown[field.name])
    const initial = begin?.[field.name] ?? rows.initialOf(field)
    if (sent.length === 0 || isSame(field, [...initial], sent)) return true
    return field.widget === 'checkbox' && initial.length === 0 && sent.at(-1) === 'false'
  })
}

/** The validated values of a row, with its files. */
interface RowValues {
  values: Values
  uploads: Uploads
}

/**
 * Validates a new row.
 *
 * @param given  values that the form sets, by API name
 * @param later  API name of the foreign key if the parent is not stored yet; otherwise null
 * @throws InvalidForm
 */
export async function valuesOfNew(
  ctx: HttpContext,
  site: Site,
  { inline, fields, defaults }: InlineRows,
  { errors, texts }: SentRow,
  given: Record<string, unknown>,
  later: string | null
): Promise<RowValues> {
  const { view } = inline
  const sent = submissionOf(fields.create, texts, 'create')
  const all = formFields(site, view, 'create')
  const other = textsInForm(view, all, sent)
  const isOther = (name: string) => fields.others.some((field) => field.name === name)
  const unseen = unseenFields(
    all,
    (name) => (isOther(name) ? defaults[name] : undefined) ?? other(name)
  )
  const submission = withoutUnseen(sent, unseen)
  const known = new Set(view.resource.createBody.fields.map(({ apiName }) => apiName))
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name)))
  const optional = later === null ? unseen : new Set([...unseen, later])
  const waiting = new WaitingFiles(ctx, view)
  const uploads = new Uploads(view, fields.create, submission, { waiting })
  const values = await validateSubmission(
    view.resource.createBody,
    {
      ...submission,
      values: { ...valuesOfTexts(fields.others, defaults), ...submission.values, ...own },
      errors: [...submission.errors, ...errors],
      unseen: optional,
    },
    uploads,
    { operation: 'create' }
  )
  return { values, uploads }
}

/** Returns the texts of an existing row, by API name. */
export async function textsOfRow(
  { inline }: InlineRows,
  fields: readonly FormField[],
  record: LucidRow
): Promise<Record<string, string[]>> {
  const texts = storedTexts(fields, record)
  for (const { name, column, widget } of fields) {
    if (column || !(widget instanceof Widget) || !widget.stored) continue
    texts[name] = await widget.stored(inline.view.resource.reader.form.shown(record))
  }
  return texts
}

/**
 * Returns the changes of an existing row: the fields that differ from what was shown. A field that was submitted
 * empty is cleared unless its value was not shown.
 *
 * @param fields  fields of the row that the user can write
 * @param stored  texts that the row shows
 * @returns null without changes
 */
export function touchedIn(
  fields: readonly FormField[],
  { errors, texts }: SentRow,
  stored: Record<string, string[]>
): Submission | null {
  const sent = submissionOf(fields, texts, 'update')
  const touched: Submission = {
    ...sent,
    values: {},
    cleared: new Set(sent.cleared),
    fileLists: new Map(),
    errors: [...errors],
  }
  const names = new Set(errors.map(({ field }) => field))
  for (const field of fields) {
    const { name } = field
    const typed = sent.shown[name]
    if (typed === undefined && !sent.cleared.has(name)) continue
    const text = filled(field, typed)
    const before = filled(field, stored[name])
    const isEmptied = text.length === 0 || sent.cleared.has(name)
    if (isEmptied ? before.length === 0 : isSame(field, before, text)) continue
    if (isEmptied && field.hidden && !sent.cleared.has(name)) continue
    names.add(name)
    const files = sent.fileLists.get(name)
    if (files) touched.fileLists.set(name, files)
    if (isEmptied) empty(field, touched)
    else if (Object.hasOwn(sent.values, name)) touched.values[name] = sent.values[name]
  }
  touched.errors.push(...sent.errors.filter(({ field }) => names.has(field)))
  return names.size > 0 ? touched : null
}

/**
 * Validates the changes of an existing row.
 *
 * @returns values of only the changed fields
 * @throws InvalidForm
 */
export async function valuesOfChanged(
  ctx: HttpContext,
  site: Site,
  { fields, inline: { view } }: InlineRows,
  { record }: StoredRow,
  touched: Submission
): Promise<RowValues> {
  const all = formFields(site, view, 'update')
  const unseen = unseenFields(all, textsInForm(view, all, touched, record))
  const changes = withoutUnseen(touched, unseen)
  const waiting = new WaitingFiles(ctx, view)
  const uploads = new Uploads(view, fields.update, changes, { record, waiting })
  const values = await validateChanges(view, record, changes, { uploads })
  return { values: { ...values, ...internalValues(view) }, uploads }
}

function empty(field: FormField, { values, cleared, errors }: Submission): void {
  const { name } = field
  if (field.nullable) {
    values[name] = field.emptied
    ;(cleared as Set<string>).add(name)
  } else {
    errors.push({ field: name, rule: 'required', message: `The ${name} field must be defined` })
  }
}

/**
 * Returns the texts without the empty one of the hidden input before a list, and without the `false` of the hidden
 * input before a checkbox.
 */
function filled({ valueType }: FormField, texts: readonly string[] = []): string[] {
  const counting = valueType === 'boolean' ? texts.slice(-1) : texts
  return counting.filter((text) => text.trim() !== '')
}

type ShownField = Parameters<typeof shownValues>[2]

/**
 * Returns the values of a column in several rows, formatted as in lists, with one query for the titles of a
 * reference.
 */
export async function cellsInRows(
  ctx: HttpContext,
  site: Site,
  field: ShownField,
  records: readonly LucidRow[]
): Promise<ShownCell[]> {
  const column = field.column!
  const values = records.map((record) => attributeValue(column, record))
  return await shownValues(ctx, site, field, values)
}

/**
 * Formats the current values of some fields of a row: `Quantity: 5, Price: 7`. Hidden fields are left out.
 *
 * @param names  API names of the fields
 */
export async function nowIn(
  ctx: HttpContext,
  site: Site,
  fields: readonly FormField[],
  record: LucidRow,
  names: readonly string[]
): Promise<string> {
  const shown: string[] = []
  for (const field of fields) {
    if (!names.includes(field.name) || field.hidden || !field.column) continue
    const [{ text }] = await cellsInRows(ctx, site, field, [record])
    shown.push(`${field.label}: ${text}`)
  }
  return shown.join(', ')
}

/**
 * Stores the uploaded files of a row, so that the form has them when it is shown again. The row then refers to them by
 * key, and has an error for each refused file.
 *
 * @param fields  fields of the row that the user can write
 */
export async function storeRowFiles(
  ctx: HttpContext,
  { name: relation, view }: Inline,
  fields: readonly FormField[],
  row: SentRow
): Promise<void> {
  const waiting = new WaitingFiles(ctx, view)
  for (const field of fields) {
    const input = inputName(field.name)
    const files =
      field.valueType === 'file' ? filesOf(ctx, `${relation}.${row.index}.${input}`) : []
    if (files.length === 0) continue
    const keys = isFileList(view, field.column) ? [...(row.texts.get(input + FILE) ?? [])] : []
    const refusals: string[] = []
    for (const file of files) {
      const outcome = await storeForList(waiting, view, field, file)
      if ('key' in outcome) keys.push(outcome.key)
      else refusals.push(`${file.clientName}: ${outcome.refusal}`)
    }
    if (keys.length > 0) row.texts.set(input + LIST, ['1']).set(input + FILE, keys)
    if (refusals.length === 0) continue
    row.errors.push({ field: field.name, rule: 'file', message: refusals.join('; ') })
  }
}

function filesOf(ctx: HttpContext, input: string): MultipartFile[] {
  return [sentFiles(ctx)[input] ?? []].flat().filter(({ clientName }) => clientName !== '')
}

/** Records the owner of a row's files after the form is saved, and removes the files that no row has any more. */
export async function settleRowFiles(
  { key, kind, rows, stored, uploads }: RowChange,
  created: Item | undefined
): Promise<void> {
  const { view } = rows.inline
  if (kind === 'delete') {
    const isLasting = stored!.removal === 'purge' || !view.resource.softDelete
    if (isLasting) await dropFilesOf(view, [stored!.record])
    return
  }
  const owner = key ?? (created && keyOf(created))
  if (owner) await uploads?.belongTo(owner)
  if (stored) await uploads?.dropReplaced(stored.record)
}
