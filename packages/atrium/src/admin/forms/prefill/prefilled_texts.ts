import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'
import { storedTexts } from '../submission/untouched.js'
import { guardOf } from '../../identity/admin_guard.js'
import { plainTexts } from '../../views/visible_when.js'
import { RESTORE, FROM } from './prefill_urls.js'
import { LIST, PARENT } from '../../http/list_query.js'
import { IN_DIALOG, FOR, DRAFT } from '../drafts/draft_parameters.js'
import { Widget } from '../../views/widget.js'

/**
 * Texts of a record for the form of a new one like it: without what only one record can have, and without files
 * and all that pages do not show. [R11]
 *
 * @param fields  those of the create form
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
 * Columns that may not have the same value again. Of a unique index over several, references are copied, as the copy
 * mostly belongs to the same records, unless there is nothing else.
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

/**
 * Texts of a blank form by the options `fields.NAME.default`, for the signed-in user.
 *
 * @param fields  those of the form as the user may fill it in
 */
export async function defaultTexts(
  ctx: HttpContext,
  view: ModelView,
  fields: readonly FormField[]
): Promise<Record<string, string[]>> {
  const { owner } = guardOf(ctx).signedInOrFail()
  const texts: Record<string, string[]> = {}
  for (const { name } of fields) {
    const value = await view.fieldOptions(name).default?.(owner.user)
    if (value !== null && value !== undefined) texts[name] = plainTexts(value)
  }
  return texts
}

/* Parameters that mean something else */
const TAKEN = new Set([FROM, LIST, PARENT, DRAFT, FOR, IN_DIALOG, RESTORE])

/**
 * Texts that the address of a create page gives for fields of its form: `create_page?distributor_id=3`. Nothing
 * that the page would not show of a record, and nothing for users and roles, whose rights no link should
 * choose. [R4]
 *
 * @param fields  those of the form as the signed-in user may fill it in
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

/** As a form that has nothing else would send them: a widget's own texts come from no address. */
function textsOf({ name, widget }: FormField, query: URLSearchParams): string[] {
  const given = query.getAll(name)
  const collected = widget instanceof Widget && widget.collect?.(name, new Map([[name, given]]))
  return collected || given
}
