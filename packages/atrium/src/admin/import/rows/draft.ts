import type { LucidRow } from '@adonisjs/lucid/types/model'
import { Problem } from '#crud'
import type { ImportError } from '../../models/admin_import.js'
import type { FileRow } from '../../sheets/file_shape.js'
import { shorten } from '../../text/plain_text.js'
import type { Site } from '../../views/site.js'
import { InvalidForm } from '../../forms/errors.js'
import { formFields } from '../../forms/fields/form_fields.js'
import { failureOf, isForPeople, isForbidden } from '../../forms/submission/form_failure.js'
import type { ModelView } from '../../views/model_view.js'

/**
 * A row on its way to a record.
 */
export interface Draft {
  row: FileRow
  /** By API name; a field that the row does not have is not there */
  body: Record<string, unknown>
  /** Effect of the row; null as long as it is not known */
  kind: 'new' | 'changed' | 'unchanged' | null
  /** The record that the row has found */
  record: LucidRow | null
  /** The same as the importer sees it: null in the fields hidden on it [U3] */
  seen: LucidRow | null
  /** Values to write, by attribute name */
  values: Record<string, unknown>
  /** Changed columns before and afterwards, by API name; of a new record its own values */
  changes: Map<string, { before: unknown; after: unknown }>
  errors: ImportError[]
}

/* Values are in messages. */
const LONGEST_MESSAGE = 500

export function draftOf(row: FileRow): Draft {
  const none = { kind: null, record: null, seen: null }
  return { row, ...none, body: {}, values: {}, changes: new Map(), errors: [] }
}

/**
 * Notes an error; field null: it is about the row as a whole. Of the errors of a field the first one counts: others
 * follow from it.
 */
export function addError({ errors, row }: Draft, field: string | null, message: string): void {
  if (field !== null && errors.some((error) => error.field === field)) return
  errors.push({ line: row.line, field, message: shorten(message, LONGEST_MESSAGE) })
}

export function isInvalid({ errors }: Draft): boolean {
  return errors.length > 0
}

/** True if any of the fields is known to be invalid, or the row as a whole. */
export function isInvalidIn({ errors }: Draft, fields: readonly string[]): boolean {
  return errors.some(({ field }) => field === null || fields.includes(field))
}

/** Puts the errors of a row into the order of the columns. */
export function sortErrors({ errors }: Draft, fields: readonly string[]): void {
  const positionOf = ({ field }: ImportError) => (field === null ? -1 : fields.indexOf(field))
  if (errors.length > 1) errors.sort((one, other) => positionOf(one) - positionOf(other))
}

/**
 * Notes what an error says about a row, in the words that a form has for it. [D3, B19]
 *
 * @throws the error itself if it is not about the row
 */
export function noteError(site: Site, view: ModelView, draft: Draft, error: unknown): void {
  if (!isForPeople(error)) throw error
  if (isForbidden(error) && !errorsOf(error)) {
    addError(draft, null, site.text('import.errors.refused'))
    return
  }
  const errors = errorsOf(error)
  const fields = [...formFields(site, view, 'create'), ...formFields(site, view, 'update')]
  const onProgress = errors && isForbidden(error) ? new InvalidForm(errors) : error
  const { error: message, fieldErrors } = failureOf(site, fields, onProgress)
  const named = Object.entries(fieldErrors)
  for (const [field, text] of named) addError(draft, field, text)
  if (named.length === 0) addError(draft, null, message)
}

function errorsOf(error: unknown) {
  return error instanceof Problem && error.errors && error.errors.length > 0
    ? error.errors
    : undefined
}
