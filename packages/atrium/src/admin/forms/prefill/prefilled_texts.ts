import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'
import { storedTexts } from '../submission/untouched.js'
import { RESTORE, FROM } from './prefill_urls.js'
import { LIST, PARENT } from '../../http/list_query.js'
import { IN_DIALOG, FOR, DRAFT } from '../drafts/draft_parameters.js'
import { Widget } from '../../views/widget.js'

/**
 * Returns the texts of a record for a create form that copies it. Unique values, files and hidden fields are left
 * out.
 *
 * @param fields  fields of the create form
 */
export function copiedTexts(
  view: ModelView,
  fields: readonly FormField[],
  record: LucidRow
): Record<string, string[]> {
  const unique = uniqueNames(view, fields)
  const copied = fields.filter(
    ({ column, hidden, valueType }) =>
      column && !hidden && valueType !== 'file' && !column.automatic && !unique.has(column.name)
  )
  return storedTexts(copied, record)
}

/**
 * Returns the columns whose values must be unique. In a unique index over several columns, references are copied, as
 * the copy usually belongs to the same records, unless the index only has references.
 */
function uniqueNames({ resource }: ModelView, fields: readonly FormField[]): Set<string> {
  const references = new Set(
    fields.filter(({ reference }) => reference).map(({ column }) => column?.name)
  )
  const left = resource.uniqueKeys.flatMap((names) => {
    const others = names.filter((name) => !references.has(name))
    return names.length === 1 || others.length === 0 ? names : others
  })
  return new Set([...left, ...resource.key.columns.map(({ name }) => name)])
}

/* Names of parameters with another meaning */
const TAKEN = new Set([FROM, LIST, PARENT, DRAFT, FOR, IN_DIALOG, RESTORE])

/**
 * Returns the texts that the URL of a create page contains for fields: `create_page?distributor_id=3`. Hidden fields
 * are ignored, and so are all fields of users and roles, as a link must not preset permissions.
 *
 * @param fields  fields of the form that the signed-in user can edit
 */
export function givenTexts(
  { request }: HttpContext,
  { adminModel }: ModelView,
  fields: readonly FormField[]
): Record<string, string[]> {
  if (adminModel) return {}
  const query = new URLSearchParams(request.parsedUrl.query ?? '')
  const shown = fields.filter(
    ({ name, hidden, valueType }) =>
      !hidden && valueType !== 'file' && query.has(name) && !TAKEN.has(name)
  )
  return Object.fromEntries(shown.map((field) => [field.name, textsOf(field, query)]))
}

/** Returns texts as from a submitted form. The additional inputs of a widget are not read from the URL. */
function textsOf({ name, widget }: FormField, query: URLSearchParams): string[] {
  const given = query.getAll(name)
  const collected = widget instanceof Widget && widget.collect?.(name, new Map([[name, given]]))
  return collected || given
}
