import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { followed } from '../../relations/references.js'
import type { Choice } from './choice.js'
import { choicesOf, MOST_CHOICES } from './choices.js'
import { isFileKey } from '../files/file_store.js'
import type { FormField } from './form_field.js'
import { CLEAR } from '../submission/submission.js'
import { Widget } from './widget.js'

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
  /** Shown in a monospace font */
  isCode: boolean
  choices: Array<Choice & { selected: boolean }>
  /** Label of the empty choice; undefined if a choice is required */
  emptyChoice: string | undefined
  /** Marked as required */
  required: boolean
  attributes: Record<string, string | number | boolean | undefined>
  /** Unit next to the label, as in `UTC` */
  unit: string | undefined
  error: string | undefined
  /** Checkbox that empties the field */
  clear: { name: string; checked: boolean } | undefined
  /** The stored file */
  file: { url: string } | undefined
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
  errors: Record<string, string>
  cleared: ReadonlySet<string>
}

const INPUT_TYPES: Record<string, string> = {
  'number': 'number',
  'date': 'date',
  'datetime-local': 'datetime-local',
  'time': 'time',
  'email': 'email',
  'url': 'url',
  'password': 'password',
  'file': 'file',
}

/**
 * Builds the template variables of the fields.
 */
export async function fieldViews(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  fields: readonly FormField[],
  state: FieldState
): Promise<FieldView[]> {
  const views = await Promise.all(fields.map((field) => fieldView(ctx, site, view, field, state)))
  const failing = views.find(({ error }) => error !== undefined)
  if (failing) failing.attributes.autofocus = true
  return views
}

async function fieldView(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  field: FormField,
  { shown, stored, errors, cleared }: FieldState
): Promise<FieldView> {
  const { name, widget, valueType } = field
  const help = field.help ?? generalHelp(site, field, stored !== undefined)
  const values = shown[name] ?? []
  const isStored = (stored?.[name] ?? []).some((text) => text !== '')
  const id = `field-${name}`
  const error = errors[name]
  const required = isRequired(field, isStored)
  const isGroup = widget instanceof Widget && widget.isGroup === true
  const base: FieldView = {
    id,
    name,
    label: field.label,
    help,
    control: widget instanceof Widget ? 'widget' : 'input',
    template: widget instanceof Widget ? widget.template : undefined,
    type: INPUT_TYPES[widget as string] ?? 'text',
    value: values.join('\n'),
    values,
    checked: values[values.length - 1] === 'true',
    isGroup,
    data: widget instanceof Widget ? await widget.data?.(ctx, name, values) : undefined,
    isCode: false,
    choices: [],
    emptyChoice: undefined,
    required,
    attributes: {
      ...field.attributes,
      ...tooLong(site, field),
      ...(required && !isGroup && { required: true }),
      ...describedBy(id, help, error),
    },
    unit: valueType === 'datetime' ? site.text('form.utc') : undefined,
    error,
    clear:
      stored && field.nullable && (isStored || field.hidden || cleared.has(name))
        ? { name: name + CLEAR, checked: cleared.has(name) }
        : undefined,
    file: await fileOf(ctx, view, field, stored?.[name]),
    search: undefined,
  }
  if (widget instanceof Widget && widget.choices) {
    return asChoices(field, base, await widget.choices(ctx))
  }
  if (field.reference) return await referenceView(ctx, view, field, base, site)
  return withControl(site, field, base, isStored)
}

/** A widget with choices has its own way to be emptied. */
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
 * A stored value that must not be null can't be emptied, even if the update schema makes it
 * optional.
 */
function isRequired(field: FormField, isStored: boolean): boolean {
  if (field.valueType === 'file') return field.required && !isStored
  if (field.widget === 'checkbox' || field.widget === 'multi-select') return false
  const isKept = isStored && field.column !== undefined && !field.nullable
  return field.required || (isKept && !field.multiple)
}

/** Help that does not depend on the field's meaning. */
function generalHelp(site: AdminSite, field: FormField, isUpdate: boolean): string | undefined {
  const { hidden, column, widget, multiple } = field
  /* An empty field would look as if nothing was stored. */
  const isStored = column !== undefined || widget === 'password'
  if (isUpdate && hidden && isStored) return site.text('form.hidden')
  if (multiple && widget === 'textarea') return site.text('form.lines')
  return widget === 'multi-select' ? site.text('form.several') : undefined
}

/** Message of the script for too many characters. */
function tooLong(site: AdminSite, { attributes }: FormField) {
  const most = attributes['data-most-characters']
  return most === undefined ? {} : { 'data-too-long': site.text('form.tooLong', { most }) }
}

function describedBy(id: string, help: string | undefined, error: string | undefined) {
  const ids = [...(error === undefined ? [] : [`${id}-error`]), ...(help ? [`${id}-help`] : [])]
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error !== undefined && { 'aria-invalid': 'true' }),
  }
}

function withControl(
  site: AdminSite,
  field: FormField,
  base: FieldView,
  isStored: boolean
): FieldView {
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
    case 'password':
    case 'file':
      return { ...base, value: '' }
    default:
      return asLine(field, base)
  }
}

function asLine(field: FormField, base: FieldView): FieldView {
  /* A one-line input would silently drop line breaks. */
  if (field.valueType === 'text' && base.value.includes('\n')) return asTextarea(base, 3, false)
  if (field.valueType === 'number') {
    const isExact = Number.isSafeInteger(Number(base.value)) || base.value.includes('.')
    /* A browser considers such a number between two steps of the input. */
    return isExact ? base : { ...base, attributes: { ...base.attributes, step: 'any' } }
  }
  return base
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

/** Keeps a value that is no longer among the choices, as saving would otherwise change it. */
function optionsOf(site: AdminSite, field: FormField, values: string[]) {
  const listed = field.choices!.map(String)
  const others = values.filter((value) => value !== '' && !listed.includes(value))
  return [...listed, ...others].map((value) => ({
    value,
    label: field.valueType === 'boolean' ? yesOrNo(site, value) : value,
    selected: values.includes(value),
  }))
}

function yesOrNo(site: AdminSite, value: string): string {
  return site.text(value === 'true' ? 'form.yes' : 'form.no')
}

function emptyChoice(site: AdminSite, field: FormField, isStored: boolean): string | undefined {
  if (field.multiple || (isStored && !field.nullable)) return undefined
  return field.required ? site.text('form.choose') : site.text('form.none')
}

async function referenceView(
  ctx: HttpContext,
  view: ModelView,
  field: FormField,
  base: FieldView,
  site: AdminSite
): Promise<FieldView> {
  const reference = field.reference!
  const [current] = base.values
  const asNumber = { ...base, type: field.valueType === 'number' ? 'number' : 'text' }
  if (field.widget !== 'select') return withControl(site, field, asNumber, false)
  if (!(await followed(ctx, reference))) return asNumber

  const choices = await choicesOf(ctx, reference, { current })
  if (choices.length > MOST_CHOICES) {
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

async function fileOf(
  ctx: HttpContext,
  view: ModelView,
  { valueType }: FormField,
  stored: string[] | undefined
) {
  const key = stored?.[0]
  if (valueType !== 'file' || !isFileKey(key) || !(await view.isVisibleTo(ctx))) return undefined
  return { url: view.url(`/files/${key}`) }
}
