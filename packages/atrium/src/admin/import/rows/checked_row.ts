import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem } from '#crud'
import type { ImportError } from '../../models/admin_import.js'
import type { Cell, FileRow } from '../../sheets/file_shape.js'
import type { ImportSpec } from '../import_spec.js'
import { CORRECTION_LENGTH_MAX } from '../corrections.js'
import { shorten } from '../../text/plain_text.js'
import type { Site } from '../../views/site.js'
import { InvalidForm } from '../../forms/errors.js'
import { formFields } from '../../forms/fields/form_fields.js'
import { failureOf, isForPeople, isForbidden } from '../../forms/submission/form_failure.js'
import type { ModelView } from '../../views/model_view.js'
import type { Column } from '#base/columns/column'
import { readDate, readDateTime, readTime } from '#base/values/datetime'
import { readNumber } from '#base/values/numbers'
import type { FormField } from '../../forms/fields/form_field.js'

/** A row of the file, with the values, the record and the errors that the checks determine. */
export interface CheckedRow {
  row: FileRow
  /** Values by API name, only of the fields that the row has */
  body: Record<string, unknown>
  /** Effect of the row; null while unknown */
  kind: 'new' | 'changed' | 'unchanged' | null
  /** The record that the row's key identifies */
  record: LucidRow | null
  /** The record as visible to the importer: null in fields that are hidden on it */
  seen: LucidRow | null
  /** Values to write, by attribute name */
  values: Record<string, unknown>
  /** Values of changed columns before and after, by API name; for a new record, all values */
  changes: Map<string, { before: unknown; after: unknown }>
  errors: ImportError[]
}

/* Maximum length of a message, because messages contain values. */
const LONGEST_MESSAGE = 500
const LONGEST_TITLE = 100

export function checkedRowOf(row: FileRow): CheckedRow {
  const none = { kind: null, record: null, seen: null }
  return { row, ...none, body: {}, values: {}, changes: new Map(), errors: [] }
}

/**
 * Adds an error; field null: the error concerns the row as a whole. Only the first error of a field is stored, because
 * the others are consequences of it.
 */
export function addError({ errors, row }: CheckedRow, field: string | null, message: string): void {
  if (field !== null && errors.some((error) => error.field === field)) return
  errors.push({ line: row.line, field, message: shorten(message, LONGEST_MESSAGE) })
}

export function isInvalid({ errors }: CheckedRow): boolean {
  return errors.length > 0
}

/** Returns true if any of the fields, or the row as a whole, is known to be invalid. */
export function isInvalidIn({ errors }: CheckedRow, fields: readonly string[]): boolean {
  return errors.some(({ field }) => field === null || fields.includes(field))
}

/** Sorts the errors of a row by the order of the columns. */
export function sortErrors({ errors }: CheckedRow, fields: readonly string[]): void {
  const positionOf = ({ field }: ImportError) => (field === null ? -1 : fields.indexOf(field))
  if (errors.length > 1) errors.sort((one, other) => positionOf(one) - positionOf(other))
}

/** Adds to each error the cell and the title of the row, so that the page can show them. */
export function noteCells({ errors, row }: CheckedRow, spec: ImportSpec): void {
  if (errors.length === 0) return
  const { columns, format, importer } = spec
  const { titleColumn } = importer.view
  const titled = columns.find(
    ({ field }) => field.column && field.column.name === titleColumn?.name
  )
  for (const error of errors) {
    if (titled && !titled.field.column!.hidden && titled.field.name !== error.field)
      error.title = shorten(textOf(row.cells[titled.index]), LONGEST_TITLE)
    const mapped = columns.find(({ field }) => field.name === error.field)
    const column = mapped?.field.column
    if (!mapped || !column || column.hidden) continue
    const text = textOf(row.cells[mapped.index])
    error.cell = shorten(text, CORRECTION_LENGTH_MAX)
    /* The text of a JSON value can't be corrected where a text is a JSON string. */
    const isJson = column.kind === 'json' && (format === 'json' || format === 'ndjson')
    if (error.cell === text && !isJson) error.column = mapped.index
  }
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

/**
 * Adds the messages of an error to a row, with the same texts as in a form. For a value of an unknown format,
 * the message lists the accepted ones.
 *
 * @throws the error itself if it does not concern the row
 */
export function noteError(
  site: Site,
  view: ModelView,
  checkedRow: CheckedRow,
  error: unknown
): void {
  if (!isForPeople(error)) throw error
  if (isForbidden(error) && !errorsOf(error)) {
    addError(checkedRow, null, site.text('import.errors.refused'))
    return
  }
  const errors = errorsOf(error)
  const fields = [...formFields(site, view, 'create'), ...formFields(site, view, 'update')]
  const shownError = errors && isForbidden(error) ? new InvalidForm(errors) : error
  const { error: message, fieldErrors } = failureOf(site, fields, shownError)
  const named = Object.entries(fieldErrors)
  for (const [name, text] of named) {
    const field = fields.find((one) => one.name === name)
    addError(checkedRow, name, (field && formatMessage(site, field, checkedRow.body[name])) ?? text)
  }
  if (named.length === 0) addError(checkedRow, null, message)
}

function errorsOf(error: unknown) {
  return error instanceof Problem && error.errors && error.errors.length > 0
    ? error.errors
    : undefined
}

/* A message does not list more. */
const MOST_CHOICES = 12

/** Types of columns with the function that returns null for a text that is not of the type */
const READERS: Partial<Record<Column['kind'], (text: string) => unknown>> = {
  integer: readNumber,
  number: readNumber,
  boolean: () => null,
  date: readDate,
  datetime: readDateTime,
  time: readTime,
}

/**
 * Returns a message with the formats or choices that a field accepts in a file.
 *
 * @param value  value of the cell, as far as it could be converted
 * @returns undefined if the value has such a format, or if the field accepts any text
 */
function formatMessage(
  site: Site,
  { choices, column, label }: Pick<FormField, 'choices' | 'column' | 'label'>,
  value: unknown
): string | undefined {
  if (typeof value !== 'string' || !column) return undefined
  const read = READERS[column.kind]
  if (read) {
    const readsItself = column.preparesItself && !column.holdsDateTime
    if (readsItself || read(value) !== null) return undefined
    return site.text(`import.accepted.${column.kind}`, { label })
  }
  const isListed = choices?.some((one) => String(one) === value) ?? true
  if (isListed || choices!.length > MOST_CHOICES) return undefined
  return site.text('import.accepted.choices', { label, choices: choices!.map(String).join(', ') })
}
