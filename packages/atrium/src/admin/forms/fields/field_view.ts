import { suggestionsUrl } from '../../list/filters/suggested_values.js'
import { recentValues, choicesOf, MOST_CHOICES, type SharedChoices } from './choices.js'
import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../../views/site.js'
import type { ModelView } from '../../views/model_view.js'
import { followed } from '../../relations/references.js'
import { type Choice, Widget } from '../../views/widget.js'
import { shownFile, fileListView } from '../files/file_list_view.js'
import { type FormField, inputName } from './form_field.js'
import { CLEAR } from '../submission/submission.js'
import { fitsInput, zoneLabel } from '../../time/local_time.js'
import { presentZone, UTC } from '../../time/time_zone.js'
import { asStored } from './stored_as_text.js'
import { FormWidget } from './widgets/form_widget.js'
import { isPassword } from './widgets/new_password_widget.js'
import { type FieldState, type FieldView, quantity } from './shown_field.js'

const INPUT_TYPES: Record<string, string> = {
  'number': 'number',
  'date': 'date',
  'datetime-local': 'datetime-local',
  'time': 'time',
  'email': 'email',
  'url': 'url',
  'password': 'password',
  'file': 'file',
  'image': 'file',
}

/** Returns the template variables of the fields. The first field with an error has the focus. */
export async function fieldViews(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  fields: readonly FormField[],
  state: FieldState
): Promise<FieldView[]> {
  const names = new Set(fields.map(({ name }) => name))
  const views = await Promise.all(
    fields.map(async (field) => ({
      ...(await fieldView(ctx, site, view, withNext(field, state), state)),
      visibleWhen: visibleWhen(field, names, state.prefix),
    }))
  )
  const failing = views.find(({ error }) => error !== undefined)
  if (failing) failing.attributes.autofocus = true
  return views
}

/** Returns the field with its choices limited to the stored value and the values that can follow the stored value. */
function withNext(field: FormField, { next, stored }: FieldState): FormField {
  const values = next?.get(field.name)
  if (!values || field.widget instanceof Widget) return field
  const current = stored?.[field.name] ?? []
  return { ...field, widget: 'select', choices: [...new Set([...current, ...values])] }
}

async function fieldView(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  field: FormField,
  state: FieldState
): Promise<FieldView> {
  const { shown, stored, record, errors, cleared, prefix = '', choices } = state
  const { name: ownName, widget, valueType } = field
  const name = prefix + inputName(ownName)
  const help = field.help ?? generalHelp(site, field, stored !== undefined)
  const values = shown[ownName] ?? []
  const isStored = (stored?.[ownName] ?? []).some((text) => text !== '')
  const id = `field-${name}`
  const error = errors[ownName]
  const required = isRequired(field, isStored)
  const isGroup = widget instanceof Widget && widget.isGroup === true
  const affixes = hasBox(field)
    ? { prefix: field.prefix, suffix: field.suffix }
    : { prefix: undefined, suffix: undefined }
  const base: FieldView = {
    id,
    name,
    label: field.label,
    help,
    control: controlOf(widget),
    template: widget instanceof Widget ? widget.template : undefined,
    type: INPUT_TYPES[widget as string] ?? 'text',
    value: values.join('\n'),
    values,
    checked: values[values.length - 1] === 'true',
    isGroup,
    isSecret: field.secret,
    data: widget instanceof Widget ? await widget.data?.(ctx, name, values) : undefined,
    isWide: widget instanceof FormWidget && widget.isWide,
    cellControl: widget instanceof FormWidget ? widget.cellControl : undefined,
    previewUrl: previewUrl(view, field),
    isCode: false,
    choices: [],
    emptyChoice: undefined,
    required,
    attributes: {
      ...field.attributes,
      ...tooLong(site, field),
      ...suggesting(site, view, field),
      /* With a condition, the site's script sets `required`, as the browser must not require a hidden field. */
      ...(required && !isGroup && { [field.condition ? 'data-required' : 'required']: true }),
      ...describedBy(id, affixes, help, error),
    },
    prefix: affixes.prefix,
    suffix: affixes.suffix,
    visibleWhen: undefined,
    ...(valueType === 'datetime' ? zoneOf(field, values[0]) : { unit: undefined }),
    error,
    clear:
      stored && field.nullable && (isStored || field.hidden || cleared.has(ownName))
        ? { name: name + CLEAR, checked: cleared.has(ownName) }
        : undefined,
    hasCross: hasBox(field) && !field.hidden,
    file: await shownFile(ctx, view, field, stored?.[ownName], record),
    search: undefined,
  }
  if (widget instanceof Widget && widget.choices) {
    return asChoices(field, base, nextOf(field, state, await widget.choices(ctx)))
  }
  if (valueType === 'file' && field.multiple) {
    const files = await fileListView(ctx, site, view, field, {
      name,
      values,
      stored: stored?.[ownName],
      record,
    })
    return { ...base, control: 'files', value: '', values: [], clear: undefined, files }
  }
  if (field.reference) return await referenceView(ctx, view, field, base, site, choices)
  return asStored(site, field, withControl(site, field, base, isStored), stored?.[ownName])
}

function nextOf({ name }: FormField, { next, stored }: FieldState, choices: Choice[]): Choice[] {
  const values = next?.get(name)
  if (!values) return choices
  return choices.filter(({ value }) => values.includes(value) || stored?.[name]?.includes(value))
}

/**
 * Adds a widget's choices to the variables. The checkbox that clears the field is left out, as a choice can clear it.
 */
function asChoices({ multiple }: FormField, base: FieldView, choices: Choice[]): FieldView {
  return {
    ...base,
    clear: undefined,
    choices: choices.map((choice) => ({
      ...choice,
      selected: base.values.includes(choice.value),
    })),
    attributes: {
      ...base.attributes,
      ...(multiple &&
        !base.isGroup && { multiple: true, size: Math.min(8, Math.max(2, choices.length)) }),
    },
  }
}

/**
 * Returns true if the field is required. A stored value that must not be null can't be cleared, so its field is
 * required even if it is optional in the update schema.
 */
function isRequired(field: FormField, isStored: boolean): boolean {
  if (field.valueType === 'file') return field.required && !isStored
  if (field.widget === 'checkbox' || field.widget === 'multi-select') return false
  const keepsValue = isStored && field.column !== undefined && !field.nullable
  return field.required || (keepsValue && !field.multiple)
}

/**
 * Returns the engine's help for a field without help in its options, such as that a hidden value is stored; undefined
 * if there is none.
 */
function generalHelp(site: Site, field: FormField, isUpdate: boolean): string | undefined {
  const { hidden, column, widget, multiple } = field
  /* The input of a hidden value is empty, so without help it would look as if no value was stored. */
  const isStored = column !== undefined || isPassword(widget)
  if (isUpdate && hidden && isStored) return site.text('form.hidden')
  if (multiple && widget === 'textarea') return site.text('form.lines')
  if (widget instanceof FormWidget && widget.helpKey) return site.text(widget.helpKey)
  return widget === 'multi-select' ? site.text('form.several') : undefined
}

/** Returns the attribute with the script's message for too many characters. */
function tooLong(site: Site, { attributes }: FormField) {
  const most = attributes['data-most-characters']
  return most === undefined ? {} : { 'data-too-long': site.text('form.tooLong', { most }) }
}

/**
 * Returns the attributes of a text input with suggestions, which replace those of the browser; none for other inputs.
 */
function suggesting(site: Site, view: ModelView, { column, secret, widget }: FormField) {
  const url = widget === 'text' && !secret ? suggestionsUrl(site, view, column) : undefined
  return url ? { 'data-suggest': url, 'autocomplete': 'off' } : {}
}

/** Returns true if the input is in a box that can also contain a unit and a button that clears the field. */
function hasBox({ widget }: FormField): boolean {
  if (widget instanceof Widget) return widget instanceof FormWidget && widget.hasBox
  return widget !== 'checkbox' && widget !== 'file' && widget !== 'image'
}

/**
 * Returns the URL of the widget's preview; undefined without a preview. The URL contains the name of the column, as the
 * field of an inline row has a longer name.
 */
function previewUrl(view: ModelView, { widget, column, name }: FormField): string | undefined {
  if (!(widget instanceof FormWidget) || !widget.preview) return undefined
  return view.url(`/preview/${encodeURIComponent(column?.apiName ?? name)}`)
}

function controlOf(widget: FormField['widget']): string {
  if (!(widget instanceof Widget)) return 'input'
  return (widget instanceof FormWidget && widget.control) || 'widget'
}

/**
 * Returns the condition as JSON, without conditions on fields that are not in the form, which are already met;
 * undefined without further conditions.
 */
function visibleWhen(
  { condition }: FormField,
  names: ReadonlySet<string>,
  prefix: string = ''
): string | undefined {
  const open = [...(condition ?? [])]
    .filter(([name]) => names.has(name))
    .map(([name, texts]) => [prefix + inputName(name), texts])
  return open.length > 0 ? JSON.stringify(Object.fromEntries(open)) : undefined
}

function describedBy(
  id: string,
  { prefix, suffix }: Pick<FieldView, 'prefix' | 'suffix'>,
  help: string | undefined,
  error: string | undefined
) {
  const ids = [
    ...(error === undefined ? [] : [`${id}-error`]),
    ...(prefix ? [`${id}-prefix`] : []),
    ...(suffix ? [`${id}-suffix`] : []),
    ...(help ? [`${id}-help`] : []),
  ]
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error !== undefined && { 'aria-invalid': 'true' }),
  }
}

function withControl(site: Site, field: FormField, base: FieldView, isStored: boolean): FieldView {
  if (isPassword(field.widget)) return { ...base, value: '', values: [] }
  if (field.widget instanceof Widget) return base
  switch (field.widget) {
    case 'checkbox':
      return { ...base, control: 'checkbox' }
    case 'select':
    case 'multi-select':
      if (!field.choices) return { ...base }
      return {
        ...base,
        control: 'select',
        choices: optionsOf(site, field, base.values),
        emptyChoice: emptyChoice(site, field, isStored),
        attributes: {
          ...base.attributes,
          ...(field.multiple && { multiple: true, size: Math.min(8, field.choices.length) }),
        },
      }
    case 'json':
    case 'textarea':
      return asTextarea(base, rowsOf(field, base.value), field.widget === 'json')
    case 'file':
    case 'image':
      return { ...base, value: '' }
    default:
      return asLine(site, field, base)
  }
}

function asLine(site: Site, field: FormField, base: FieldView): FieldView {
  /* A single-line input would silently remove line breaks. */
  if (field.valueType === 'text' && base.value.includes('\n')) return asTextarea(base, 3, false)
  if (field.grouped) return { ...base, type: 'text', attributes: quantity(site, base.attributes) }
  if (field.valueType === 'number') {
    const isExact = Number.isSafeInteger(Number(base.value)) || base.value.includes('.')
    /* With a fixed step, the browser would reject a stored number that is not a multiple of the step. */
    return isExact ? base : { ...base, attributes: { ...base.attributes, step: 'any' } }
  }
  /* A `datetime-local` input accepts no offset and would be empty, so a text input shows a datetime with an offset. */
  if (base.type === 'datetime-local' && base.value !== '' && !fitsInput(base.value)) {
    const { max, step, ...attributes } = base.attributes
    return { ...base, type: 'text', attributes: { ...attributes, autocomplete: 'off' } }
  }
  return base
}

/** Returns the unit and time zone of a datetime. Custom widgets of the application receive datetimes in UTC. */
function zoneOf({ widget }: FormField, text: string | undefined) {
  if (widget instanceof Widget) return { unit: UTC }
  return { unit: zoneLabel(text), zone: presentZone() }
}

function asTextarea(base: FieldView, rows: number, isCode: boolean): FieldView {
  const { pattern, step, ...attributes } = base.attributes
  return {
    ...base,
    control: 'textarea',
    isCode,
    attributes: {
      ...attributes,
      rows,
      ...(isCode && { spellcheck: 'false', autocapitalize: 'none' }),
    },
  }
}

function rowsOf(field: FormField, value: string): number {
  const least = field.multiple || field.valueType === 'json' ? 4 : 3
  return Math.min(14, Math.max(least, value.split('\n').length))
}

/**
 * Returns the options of a select. A value that is no longer a choice is added, as saving would change it otherwise.
 */
export function optionsOf(
  site: Site,
  field: Pick<FormField, 'choices' | 'labelOf' | 'valueType'>,
  values: string[]
) {
  const listed = field.choices!.map(String)
  const others = values.filter((value) => value !== '' && !listed.includes(value))
  return [...listed, ...others].map((value) => ({
    value,
    label: field.labelOf?.(value) ?? (field.valueType === 'boolean' ? yesOrNo(site, value) : value),
    selected: values.includes(value),
  }))
}

function yesOrNo(site: Site, value: string): string {
  return site.text(value === 'true' ? 'form.yes' : 'form.no')
}

function emptyChoice(site: Site, field: FormField, isStored: boolean): string | undefined {
  if (field.multiple || (isStored && !field.nullable)) return undefined
  return field.required ? site.text('form.choose') : site.text('form.none')
}

async function referenceView(
  ctx: HttpContext,
  view: ModelView,
  field: FormField,
  base: FieldView,
  site: Site,
  shared?: SharedChoices
): Promise<FieldView> {
  const reference = field.reference!
  const [current] = base.values
  const asNumber = { ...base, type: field.valueType === 'number' ? 'number' : 'text' }
  if (field.widget !== 'select') return withControl(site, field, asNumber, false)
  if (!(await followed(ctx, reference))) return asNumber

  const choices = shared
    ? await shared.of(reference, current)
    : await choicesOf(ctx, reference, {
        current,
        recent: await recentValues(ctx, site, view.name, field.name),
      })
  if (choices.length > (shared?.most ?? MOST_CHOICES)) {
    const title = choices.find(({ value }) => value === current)?.label ?? ''
    const url = view.url(`/choices/${encodeURIComponent(field.name)}`)
    return { ...asNumber, control: 'combobox', search: { url, title } }
  }
  const isStored = current !== undefined && current !== ''
  return {
    ...base,
    control: 'select',
    choices: choices.map((choice) => ({ ...choice, selected: choice.value === current })),
    emptyChoice: emptyChoice(site, field, isStored && base.attributes.required === true),
  }
}
