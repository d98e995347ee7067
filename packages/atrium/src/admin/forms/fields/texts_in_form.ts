import type { LucidRow } from '@adonisjs/lucid/types/model'
import { attributeValue } from '#base/values/to_api'
import type { ModelView } from '../../views/model_view.js'
import type { Submission } from '../submission/submission.js'
import { textsOf } from './field_texts.js'
import type { FormField } from './form_field.js'
import { plainTexts } from '../../views/visible_when.js'

/**
 * Returns a function that returns the texts of a form's fields after saving: the submitted texts, otherwise those of
 * the record or the column's default.
 *
 * @param fields  fields of the form; other names are those of columns that are not in the form
 * @param record  record to update; undefined for a create form
 * @returns function that returns null for a field that the viewer can't see
 */
export function textsInForm(
  view: ModelView,
  fields: readonly FormField[],
  submission?: Submission,
  record?: LucidRow
): (name: string) => readonly string[] | null {
  return (name) => {
    const field = fields.find((one) => one.name === name)
    if (submission?.cleared.has(name)) return []
    const sent = submission?.shown[name] ?? []
    /* A hidden input with `false` precedes the checkbox. */
    const counting = field?.valueType === 'boolean' ? sent.slice(-1) : sent
    const typed = counting.map((text) => text.trim()).filter((text) => text !== '')
    if (field && typed.length > 0) return typed

    const column = field?.column ?? view.resource.fields.find(({ apiName }) => apiName === name)
    if (!column) return field ? [] : null
    if (!record) return field?.initial ?? (column.defaultText === null ? [] : [column.defaultText])
    const value = attributeValue(column, record)
    return field ? textsOf(field, value) : plainTexts(value)
  }
}
