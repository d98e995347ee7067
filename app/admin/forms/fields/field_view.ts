import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { choicesOf, MOST_CHOICES, type Choice } from './choices.js'
import { isFileKey } from '../files/file_store.js'
import type { FormField } from './form_field.js'
import { CLEAR } from '../submission/submission.js'
import { Widget } from './widget.js'

/**
 * One field as its template gets it.
 */
export interface FieldView {
  id: string
  name: string
  label: string
  help: string | undefined
  /** The template's own name, or that of the shipped control */
  control: string
  template: string | undefined
  type: string
  value: string
  values: string[]
  checked: boolean
  /** Whether it is set in letters of one width */
  isCode: boolean
  choices: Array<Choice & { selected: boolean }>
  /** What stands for no choice; none where there has to be one */
  emptyChoice: string | undefined
  /** Whether it has a mark that it has to be filled in */
  required: boolean
  attributes: Record<string, string | number | boolean | undefined>
  /** What stands beside the label, as in `UTC` */
  unit: string | undefined
  error: string | undefined
  /** The checkbox that empties it */
  clear: { name: string; checked: boolean } | undefined
  /** The file that is there already */
  file: { url: string } | undefined
  /** Where a long list of records is searched, and what the chosen one is called */
  search: { url: string; title: string } | undefined
}

/**
 * What the fields are to show.
 */
export interface FieldState {
  /** By wire name, as the form last showed or got them */
  shown: Record<string, string[]>
  /** The same of the stored record; undefined on create */
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
 * The fields for their templates.
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
  const { name, widget, holds } = field
  const help = field.help ?? generalHelp(site, field, stored !== undefined)
  const values = shown[name] ?? []
  const isStored = (stored?.[name] ?? []).some((text) => text !== '')
  const id = `field-${name}`
  const error = errors[name]
  const required = isRequired(field, isStored)
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
    isCode: false,
    choices: [],
    emptyChoice: undefined,
    required,
    attributes: {
      ...field.attributes,
      ...tooLong(site, field),
      ...(required && { required: true }),
      ...describedBy(id, help, error),
    },
    unit: holds === 'datetime' ? site.text('form.utc') : undefined,
    error,
    clear:
      stored && field.nullable && (isStored || field.hidden || cleared.has(name))
        ? { name: name + CLEAR, checked: cleared.has(name) }
        : undefined,
    file: await fileOf(ctx, view, field, stored?.[name]),
    search: undefined,
  }
  if (field.reference) return await referenceView(ctx, view, field, base, site)
  return withControl(site, field, base, isStored)
}

/** What must not be null and is not can't be emptied, though an update may leave it out. */
function isRequired(field: FormField, isStored: boolean): boolean {
  if (field.holds === 'file') return field.required && !isStored
  if (field.widget === 'checkbox' || field.widget === 'multi-select') return false
  const isKept = isStored && field.column !== undefined && !field.nullable
  return field.required || (isKept && !field.multiple)
}

/** What has to be known of a field, whatever it is about. */
function generalHelp(site: AdminSite, field: FormField, isUpdate: boolean): string | undefined {
  const { hidden, column, widget, multiple } = field
  /* An empty field would look as if nothing were stored. */
  const isStored = column !== undefined || widget === 'password'
  if (isUpdate && hidden && isStored) return site.text('form.hidden')
  if (multiple && widget === 'textarea') return site.text('form.lines')
  return widget === 'multi-select' ? site.text('form.several') : undefined
}

/** What our script says when there are more characters than that. */
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
  /* An input of one line would drop the line's end without a word. */
  if (field.holds === 'text' && base.value.includes('\n')) return asTextarea(base, 3, false)
  if (field.holds === 'number') {
    const isExact = Number.isSafeInteger(Number(base.value)) || base.value.includes('.')
    /* A browser finds such a number between two of its steps. */
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
  const least = field.multiple || field.holds === 'json' ? 4 : 3
  return Math.min(14, Math.max(least, value.split('\n').length))
}

/** A value that is no longer among the choices stays one, or saving would change it. */
function optionsOf(site: AdminSite, field: FormField, values: string[]) {
  const listed = field.choices!.map(String)
  const others = values.filter((value) => value !== '' && !listed.includes(value))
  return [...listed, ...others].map((value) => ({
    value,
    label: field.holds === 'boolean' ? yesOrNo(site, value) : value,
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
  const asNumber = { ...base, type: field.holds === 'number' ? 'number' : 'text' }
  if (field.widget !== 'select') return withControl(site, field, asNumber, false)
  if (!(await reference.view.isVisibleTo(ctx))) return asNumber

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
  { holds }: FormField,
  stored: string[] | undefined
) {
  const key = stored?.[0]
  if (holds !== 'file' || !isFileKey(key) || !(await view.isVisibleTo(ctx))) return undefined
  return { url: view.url(`/files/${key}`) }
}
