import type { Column } from '#base/columns/column'
import type { Reference } from '../../relations/references.js'
import type { Choice, Widget, WidgetName } from '../../views/widget.js'
import type { Condition } from '../../views/visible_when.js'

/** Type of value that a field's texts represent. */
export type ValueType =
  'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'time' | 'json' | 'file'

/** A field of a create or update form, derived from schema, column and options. */
export interface FormField {
  /** API name; the name of the input is derived from it */
  name: string
  label: string
  help: string | undefined
  /** Text before the input */
  prefix: string | undefined
  /** Text after the input */
  suffix: string | undefined
  widget: WidgetName | Widget
  /** Type of a single value */
  valueType: ValueType
  required: boolean
  /** Texts of other fields that make the field visible; undefined if it is always visible */
  condition: Condition | undefined
  /** True if the field can be cleared */
  nullable: boolean
  /** Value that clears the field */
  emptied: null | readonly never[]
  /** Undefined for a virtual field */
  column: Column | undefined
  virtual: boolean
  /** True if the value is a list */
  multiple: boolean
  /**
   * Fixed values to select from, in their own type; undefined if the input is free, and for references, whose choices
   * are read from the database
   */
  choices: readonly unknown[] | undefined
  /** Labels of single choices, by value as text */
  labelOf?: (value: string) => string | undefined
  reference: Reference | undefined
  /** Constraints of the schema as HTML attributes */
  attributes: Record<string, string | number>
  /** True if the stored value is never shown: hidden columns, passwords, virtual fields, binary data */
  hidden: boolean
  /** True if a submitted text is not shown again when the form has errors */
  secret: boolean
  /** True for a password, whose text is not trimmed */
  password?: boolean
  /** Texts of the field in a blank form */
  initial: readonly string[]
  /** True if the model's schema validates the format of the text, which is then passed on unchanged */
  asTyped: boolean
  /** True for a number with thousands separators */
  grouped: boolean
  /** True if the schema accepts only numbers, not numeric texts */
  strict: boolean
  /** True if the schema expects the uploaded file instead of the key of the stored file */
  takesFile: boolean
  /** Limits of each file: `size` and `extnames` of `vine.file()` */
  fileLimits?: { size?: string | number; extnames?: string[] }
}

export type { Choice }

const OF_COLUMN = 'column:'

/*
 * Names of a form's internal inputs start with `_`, as in `_version`; additional inputs of a field have a suffix after
 * `__`, as in `title__clear`.
 */
const OWN = '__'
const ESCAPED = '_:_'

/** Returns the name of a field's input, escaped so that it differs from all internal inputs. */
export function inputName(name: string): string {
  return name.startsWith('_') || name.includes(OWN)
    ? OF_COLUMN + name.replaceAll(OWN, ESCAPED)
    : name
}

/** Returns the API name of the field that an input belongs to. */
export function fieldName(input: string): string {
  return input.startsWith(OF_COLUMN)
    ? input.slice(OF_COLUMN.length).replaceAll(ESCAPED, OWN)
    : input
}
