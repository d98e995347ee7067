import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ModelView } from '../../model_view.js'
import type { FormField } from '../fields/form_field.js'
import { storedTexts } from '../submission/untouched.js'

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
 * Columns that may not have the same value again. Of a unique index over several, references are kept, as the copy
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
