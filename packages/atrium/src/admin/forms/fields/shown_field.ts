import { grouped } from '#base/values/numbers'
import type { Site } from '../../views/site.js'
import type { KeyValue } from '#base/columns/key'
import type { ShownValue } from '../../event_log/comparison.js'
import type { FileListView, ShownFile } from '../files/file_list_view.js'
import type { Choice } from '../../views/widget.js'
import type { SharedChoices } from './choices.js'

/** Variables of a field's template. */
export interface FieldView {
  id: string
  name: string
  label: string
  help: string | undefined
  /** Name of the built-in control; `widget` for a widget with its own `template` */
  control: string
  template: string | undefined
  type: string
  value: string
  values: string[]
  checked: boolean
  /** True if the label is the heading of a group of inputs */
  isGroup: boolean
  /** Data of a custom widget for its template */
  data: unknown
  /** True if the field has the full width of the form */
  isWide?: boolean
  /** Control for editing in a list cell, if it differs from `control` */
  cellControl?: string
  /** URL at which the server renders a preview of the text while it is typed */
  previewUrl?: string
  /** True to use a monospace font */
  isCode: boolean
  choices: Array<Choice & { selected: boolean }>
  /** Label of the empty choice; undefined for several values, and for a stored value that cannot be emptied */
  emptyChoice: string | undefined
  /** True if the label is marked as required */
  required: boolean
  attributes: Record<string, string | number | boolean | undefined>
  /** Texts before and after the input, inside its box */
  prefix: string | undefined
  suffix: string | undefined
  /** Condition under which the field is visible, as JSON of other fields' texts */
  visibleWhen: string | undefined
  /** Unit next to the label, such as `UTC` */
  unit: string | undefined
  /** Time zone in which a datetime is shown; the form submits it as well */
  zone?: string
  error: string | undefined
  /** Set if the field shows a value of an earlier version of the record */
  restored?: { now: ShownValue | null; isLost: boolean }
  /** Checkbox that clears the field */
  clear: { name: string; checked: boolean } | undefined
  /** True if the site's script replaces the checkbox of `clear` by a button in the input's box */
  hasCross: boolean
  /** True if a submitted text is never stored in a draft */
  isSecret?: boolean
  /** The stored file */
  file: ShownFile | undefined
  /** The stored files of a field that contains several */
  files?: FileListView
  /** Search URL and title of the selected record, if the list of choices is long */
  search: { url: string; title: string } | undefined
}

/** Values of the fields to show. */
export interface FieldState {
  /** Texts by API name, as stored or submitted */
  shown: Record<string, string[]>
  /** Texts of the stored record by API name; undefined in a create form */
  stored: Record<string, string[]> | undefined
  /** Key of the stored record, whose file names are shown */
  record?: KeyValue
  /** Values that can follow the stored value, by API name; other fields accept any value */
  next?: ReadonlyMap<string, readonly string[]>
  errors: Record<string, string>
  cleared: ReadonlySet<string>
  /** Prefix of input names, such as `items.2.` for a row */
  prefix?: string
  /** Shared choices of references, if many fields use them */
  choices?: SharedChoices
}

/**
 * Returns the attributes of a text input for a grouped number, as the browser's number input shows no thousands
 * separators. The allowed range is in the tooltip.
 */
export function quantity(
  site: Site,
  { step, min, max, ...attributes }: FieldView['attributes']
): FieldView['attributes'] {
  const isOpen = min === undefined && max === undefined
  const ends = min === undefined ? 'most' : max === undefined ? 'least' : 'between'
  return {
    ...attributes,
    /* Numeric keyboards have no minus sign, so they are used only if the number can't be negative. */
    ...(Number(min) >= 0 && { inputmode: step === 1 ? 'numeric' : 'decimal' }),
    autocomplete: 'off',
    dir: undefined,
    ...(!isOpen && {
      'data-min': min,
      'data-max': max,
      'title': site.text(`form.range.${ends}`, {
        min: grouped(String(min)),
        max: grouped(String(max)),
      }),
    }),
  }
}
