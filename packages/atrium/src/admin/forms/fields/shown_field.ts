import type { KeyValue } from '#base/columns/key'
import type { ShownValue } from '../../event_log/comparison.js'
import type { Choice } from '../../views/widget.js'
import type { SharedChoices } from './choices.js'

/**
 * Variables of a field's template.
 */
export interface FieldView {
  id: string
  name: string
  label: string
  help: string | undefined
  /** Template of the widget, or name of the built-in control */
  control: string
  template: string | undefined
  type: string
  value: string
  values: string[]
  checked: boolean
  /** The label heads a group of several inputs */
  isGroup: boolean
  /** Data of a custom widget for its template */
  data: unknown
  /** True if it takes the whole width of the form */
  isWide?: boolean
  /** The control that edits it in a cell, if that is another one */
  cellControl?: string
  /** Address at which the server says what it makes of the text while it is typed */
  previewUrl?: string
  /** Shown in a monospace font */
  isCode: boolean
  choices: Array<Choice & { selected: boolean }>
  /** Label of the empty choice; undefined if a choice is required */
  emptyChoice: string | undefined
  /** Marked as required */
  required: boolean
  attributes: Record<string, string | number | boolean | undefined>
  /** Texts before and after the input, in its box */
  prefix: string | undefined
  suffix: string | undefined
  /** JSON of the other fields' texts with which it is part of the form */
  visibleWhen: string | undefined
  /** Unit next to the label, as in `UTC` */
  unit: string | undefined
  /** Time zone in which a moment is shown, which the form sends back [R12] */
  zone?: string
  error: string | undefined
  /** The field has the value of an earlier version of the record [R8] */
  restored?: { now: ShownValue | null; isLost: boolean }
  /** Checkbox that empties the field */
  clear: { name: string; checked: boolean } | undefined
  /** True if a cross in its box, for browsers with the site's script, replaces that checkbox */
  hasCross: boolean
  /** A text that is typed into it is never stored. [R10] */
  isSecret?: boolean
  /** The stored file */
  file: { name: string; url: string; image?: string } | undefined
  /** URL of the search, and title of the chosen record, if the list is long */
  search: { url: string; title: string } | undefined
}

/**
 * Values for the fields to show.
 */
export interface FieldState {
  /** Texts by API name, as last shown or submitted */
  shown: Record<string, string[]>
  /** Texts of the stored record by API name; undefined on create */
  stored: Record<string, string[]> | undefined
  /** Key of the stored record, whose files are shown with their names */
  record?: KeyValue
  errors: Record<string, string>
  cleared: ReadonlySet<string>
  /** First part of the names in the form, as of a row: `items.2.` [R2] */
  prefix?: string
  /** Choices of references, where many fields share them */
  choices?: SharedChoices
}
