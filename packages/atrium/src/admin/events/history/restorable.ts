import type { FormField } from '../../forms/fields/form_field.js'
import type { SeesName } from './seen_names.js'

/**
 * True if the form can be filled in with an earlier value of the field. Files are not among them, nor what pages do
 * not show, nor times that the model sets itself. [R8]
 */
export function isRestorable({ column, hidden, name, valueType }: FormField, sees: SeesName) {
  return column !== undefined && !hidden && valueType !== 'file' && !column.automatic && sees(name)
}
