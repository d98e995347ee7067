import type { HttpContext } from '@adonisjs/core/http'
import { RESTORE } from '../../events/history/restore_url.js'
import { LIST } from '../../http/list_query.js'
import { PARENT } from '../../http/parent_name.js'
import type { ModelView } from '../../model_view.js'
import { FROM } from './copy_url.js'
import { BESIDE, FOR, KEPT } from '../kept/carried.js'
import type { FormField } from '../fields/form_field.js'
import { Widget } from '../fields/widget.js'

/* Parameters that mean something else */
const TAKEN = new Set([FROM, LIST, PARENT, KEPT, FOR, BESIDE, RESTORE])

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
