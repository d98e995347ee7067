import { readDate, readDateTime, readTime } from '#base/values/datetime'
import type { Site } from '../../views/site.js'
import { ungrouped } from '#base/values/numbers'
import { isSame } from '../submission/unchanged_fields.js'
import type { FormField } from './form_field.js'
import { Widget } from '../../views/widget.js'

/** The template variables of a field that depend on the stored value. */
interface ValueView {
  id: string
  control: string
  type: string
  value: string
  values: string[]
  choices: unknown[]
  zone?: string
  help: string | undefined
  search: unknown
  attributes: Record<string, string | number | boolean | undefined>
}

/** By type of value: whether the control can show a text */
const SHOWN: Partial<Record<FormField['valueType'], (text: string) => boolean>> = {
  date: (text) => readDate(text) !== null,
  datetime: (text) => readDateTime(text) !== null,
  time: (text) => readTime(text) !== null,
  number: (text) => text.trim() !== '' && Number.isFinite(Number(ungrouped(text))),
  boolean: (text) => text === 'true' || text === 'false',
}

/**
 * Adapts a field to a stored value that another program has written. If the control can't show the value, the field
 * is a text input, read-only in the update form, so that the value is preserved. If the value violates a constraint,
 * the constraints are removed, as browsers would not submit the form otherwise.
 *
 * @param stored  texts of the record; undefined in a create form
 */
export function asStored<View extends ValueView>(
  site: Site,
  field: FormField,
  view: View,
  stored: string[] | undefined
): View {
  const { widget, valueType, multiple, asTyped, column, choices } = field
  /* Lucid's date decorators also set `prepare`, which is not a custom conversion. */
  const isConverted = column?.preparesItself && !column.holdsDateTime
  if (widget instanceof Widget || multiple || asTyped || isConverted) return view
  const isStored = stored !== undefined && isSame(field, stored, view.values)
  const isPlain = valueType === 'boolean' || !choices
  if (view.value === '' || view.search || field.reference || !isPlain) return view
  const isShown = SHOWN[valueType]?.(lastOf(view)) ?? true
  if (isShown) return isStored ? withoutBroken(view) : view
  const { min, max, step, pattern, ...attributes } = view.attributes
  return {
    ...view,
    control: 'input',
    type: 'text',
    zone: undefined,
    choices: [],
    help: isStored ? site.text('form.storedAsText') : view.help,
    attributes: {
      ...attributes,
      ...(isStored && { 'readonly': true, 'aria-describedby': describedBy(view) }),
    },
  }
}

/** Returns the last value, as a hidden input with `false` precedes a checkbox. */
function lastOf({ values }: ValueView): string {
  return values.at(-1)!
}

function describedBy({ id, attributes }: ValueView): string {
  const ids = String(attributes['aria-describedby'] ?? '').split(' ')
  return [...new Set([...ids, `${id}-help`])].join(' ').trim()
}

/** Input types whose text the browser validates, with its check */
const CHECKED: Record<string, (text: string) => boolean> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  url: (text) => URL.canParse(text),
}

function withoutBroken<View extends ValueView>(view: View): View {
  const { min, max, 'data-min': least, 'data-max': most, pattern, ...attributes } = view.attributes
  const number = Number(ungrouped(view.value))
  const isBeyond = (end: unknown, isOver: boolean) =>
    end !== undefined && (isOver ? number > Number(end) : number < Number(end))
  const isBroken =
    isBeyond(min, false) || isBeyond(least, false) || isBeyond(max, true) || isBeyond(most, true)
  const isOther =
    pattern !== undefined && !new RegExp(`^(?:${String(pattern)})$`, 'v').test(view.value)
  const isFree = CHECKED[view.type]?.(view.value) === false
  if (!isBroken && !isOther && !isFree) return view
  return { ...view, type: isFree ? 'text' : view.type, attributes }
}
