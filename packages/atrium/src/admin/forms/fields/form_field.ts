import type { Column } from '#base/columns/column'
import type { Reference } from '../../relations/references.js'
import type { Choice, Widget, WidgetName } from '../../views/widget.js'
import type { Condition } from '../../views/visible_when.js'

/**
 * Type of value that a field's texts represent.
 */
export type ValueType =
  'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'time' | 'json' | 'file'

/**
 * One field of a create or update form, derived from schema, column and options. [B17]
 */
export interface FormField {
  /** API name, also the name in the form */
  name: string
  label: string
  help: string | undefined
  /** Text before the input */
  prefix: string | undefined
  /** Text after the input */
  suffix: string | undefined
  widget: WidgetName | Widget
  /** Type of each of its values */
  valueType: ValueType
  required: boolean
  /** Texts of other fields with which it is part of the form; undefined: it always is [R14] */
  condition: Condition | undefined
  /** True if it can be emptied */
  nullable: boolean
  /** Value when emptied */
  emptied: null | readonly never[]
  /** Undefined for a virtual field [P6] */
  column: Column | undefined
  virtual: boolean
  /** True if its value is a list */
  multiple: boolean
  /**
   * Values to choose from, in their own types; undefined for references, whose choices come from
   * the database
   */
  choices: readonly unknown[] | undefined
  reference: Reference | undefined
  /** Constraints of the schema as HTML attributes */
  attributes: Record<string, string | number>
  /** True if the stored value is never shown: hidden columns, passwords, virtual fields, bytes */
  hidden: boolean
  /** True if a submitted text is not sent back either */
  secret: boolean
  /** Texts of a blank form */
  initial: readonly string[]
  /**
   * True if the model's own schema validates the format of the text, which is then passed on as
   * typed [A28]
   */
  asTyped: boolean
  /** True for a number that is shown with separators of thousands if it is long */
  grouped: boolean
  /** True if the schema accepts numbers only, not numeric texts */
  strict: boolean
  /** True if the schema takes the uploaded file itself and not its key */
  takesFile: boolean
}

export type { Choice }

const OF_COLUMN = 'column:'

/* A form's inputs for itself begin with `_`, as `_version`; those for one of its fields end like `title__clear`. */
const OWN = '__'
const ESCAPED = '_:_'

/**
 * Name of a field's input, which is that of no other input of the form.
 */
export function inputName(name: string): string {
  return name.startsWith('_') || name.includes(OWN)
    ? OF_COLUMN + name.replaceAll(OWN, ESCAPED)
    : name
}

/** Name of the field of an input. */
export function fieldName(input: string): string {
  return input.startsWith(OF_COLUMN)
    ? input.slice(OF_COLUMN.length).replaceAll(ESCAPED, OWN)
    : input
}
