import type { Reference } from '../../relations/references.js'
import type { FormField } from './form_field.js'

/**
 * A field that chooses a record and is not a column of the form's model, such as the record of a new pivot row.
 */
export function referenceField(name: string, label: string, reference: Reference): FormField {
  const { kind } = reference.target
  return {
    name,
    label,
    help: undefined,
    prefix: undefined,
    suffix: undefined,
    widget: 'select',
    valueType: kind === 'integer' || kind === 'number' ? 'number' : 'text',
    required: false,
    condition: undefined,
    nullable: true,
    emptied: null,
    column: undefined,
    virtual: true,
    multiple: false,
    choices: undefined,
    reference,
    attributes: {},
    hidden: false,
    secret: false,
    initial: [],
    asTyped: false,
    strict: false,
    takesFile: false,
    grouped: false,
  }
}
