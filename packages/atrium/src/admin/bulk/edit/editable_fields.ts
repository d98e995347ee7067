import type { AdminSite } from '../../admin_site.js'
import { formFields, type FormField } from '../../forms/fields/form_fields.js'
import type { ModelView } from '../../model_view.js'

/**
 * The fields of the update form that many records can be given in one edit: all but files. [L9]
 *
 * @param view  as the roles of the user leave it
 */
export function editableFields(site: AdminSite, view: ModelView): FormField[] {
  return formFields(site, view, 'update').filter((field) => !isFile(field))
}

/** The fields of the update form that are changed record by record. */
export function fileFields(site: AdminSite, view: ModelView): FormField[] {
  return formFields(site, view, 'update').filter(isFile)
}

function isFile({ valueType }: FormField): boolean {
  return valueType === 'file'
}
