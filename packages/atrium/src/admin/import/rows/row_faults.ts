import { Problem } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import { InvalidForm } from '../../errors.js'
import { formFields } from '../../forms/fields/form_fields.js'
import { failureOf, isForPeople, isForbidden } from '../../forms/submission/form_failure.js'
import type { ModelView } from '../../model_view.js'
import { addFault, type Draft } from './draft.js'

/**
 * Notes what an error says about a row, in the words that a form has for it. [D3, B19]
 *
 * @throws the error itself if it is not about the row
 */
export function noteError(site: AdminSite, view: ModelView, draft: Draft, error: unknown): void {
  if (!isForPeople(error)) throw error
  if (isForbidden(error) && !errorsOf(error)) {
    addFault(draft, null, site.text('import.faults.refused'))
    return
  }
  const errors = errorsOf(error)
  const fields = [...formFields(site, view, 'create'), ...formFields(site, view, 'update')]
  const told = errors && isForbidden(error) ? new InvalidForm(errors) : error
  const { error: message, fieldErrors } = failureOf(site, fields, told)
  const named = Object.entries(fieldErrors)
  for (const [field, text] of named) addFault(draft, field, text)
  if (named.length === 0) addFault(draft, null, message)
}

function errorsOf(error: unknown) {
  return error instanceof Problem && error.errors && error.errors.length > 0
    ? error.errors
    : undefined
}
