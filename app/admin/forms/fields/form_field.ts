import type { Column } from '#crud/resource/column'
import type { Reference } from '../../relations/references.js'
import type { WidgetName } from '../../view_options.js'
import type { Choice } from './choices.js'
import type { Widget } from './widget.js'

/**
 * What the texts that a form sends for a field stand for.
 */
export type Holds = 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'time' | 'json' | 'file'

/**
 * One field of a create or update form, as schema, column and options make it. [B17]
 */
export interface FormField {
  /** Its name on the wire, and in the form */
  name: string
  label: string
  help: string | undefined
  widget: WidgetName | Widget
  /** What one of its values is */
  holds: Holds
  required: boolean
  /** Whether it can be emptied */
  nullable: boolean
  /** What it holds then */
  emptied: null | readonly never[]
  /** None for a virtual field [P6] */
  column: Column | undefined
  virtual: boolean
  /** Whether its value is a list, however many were sent */
  multiple: boolean
  /** What can be chosen, in its own types; a reference has its choices from the database */
  choices: readonly unknown[] | undefined
  reference: Reference | undefined
  /** The schema's constraints, as HTML attributes */
  attributes: Record<string, string | number>
  /** Whether what is stored is never shown: hidden columns, passwords, virtual fields, bytes */
  hidden: boolean
  /** What was typed into it is not sent back either */
  secret: boolean
  /** What a blank form shows */
  initial: readonly string[]
  /** Whether a schema of the model's own has a form for its text, which is then left as it was typed [A28] */
  asTyped: boolean
  /** Whether the schema takes numbers alone, and no text of one */
  strict: boolean
  /** Whether the schema takes the uploaded file itself, rather than its key */
  takesFile: boolean
}

export type { Choice }
