import type { BodyField } from '#crud/schema/body_schema'
import type { JsonSchema } from '#crud/schema/object_schema'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { referencesOf, type Reference } from '../../relations/references.js'
import type { WidgetName } from '../../view_options.js'
import { constraintsOf } from './field_constraints.js'
import { isFileField } from '../files/file_columns.js'
import type { FormField, Holds } from './form_field.js'
import { Widget } from './widget.js'

export type { FormField } from './form_field.js'

export type FormMode = 'create' | 'update'

/* A longer text is written in a box of several lines. */
const LONGEST_LINE = 255

const known = new WeakMap<ModelView, Partial<Record<FormMode, FormField[]>>>()

/**
 * The fields of a form, in the order of the schema that counts. The view's resource must be loaded.
 * [B17]
 */
export function formFields(site: AdminSite, view: ModelView, mode: FormMode): FormField[] {
  const forms = known.get(view) ?? {}
  known.set(view, forms)
  forms[mode] ??= makeFields(site, view, mode)
  return forms[mode]
}

function makeFields(site: AdminSite, view: ModelView, mode: FormMode): FormField[] {
  const { createBody, updateBody } = view.resource
  const body = mode === 'create' ? createBody : updateBody
  const references = referencesOf(site, view)
  return (
    body.fields
      /* An update changes no key. [A7] */
      .filter(({ column }) => !(mode === 'update' && column?.isPrimary))
      .map((field) => {
        const reference = references.find(({ column }) => column === field.column)
        return makeField(view, field, reference, mode)
      })
  )
}

function makeField(
  view: ModelView,
  field: BodyField,
  reference: Reference | undefined,
  mode: FormMode
): FormField {
  const { wire: name, column } = field
  const { help, widget: wanted } = view.fieldOptions(name)
  const shape = shapeOf(field, reference)
  /* What one schema takes as a file is no text to type where the other says nothing of it. */
  const usual = isFileField(view, name) ? 'file' : shape.widget
  const widget = typeof wanted === 'function' ? new wanted() : (wanted ?? usual)
  const holds = heldBy(widget, shape.holds)
  const isPassword = widget === 'password'
  return {
    name,
    label: view.labelOf(name),
    help,
    widget,
    holds,
    required: field.required && widget !== 'checkbox',
    ...emptying(field, shape.multiple && holds !== 'json'),
    column,
    virtual: column === undefined,
    multiple: shape.multiple && holds !== 'json',
    choices: shape.choices,
    reference,
    attributes: attributesOf(field, widget, holds, shape.multiple),
    hidden: isPassword || (column?.hidden ?? true) || column?.kind === 'binary',
    secret: isPassword || (column?.hidden ?? false),
    initial: mode === 'create' ? initialOf(field, holds) : [],
    asTyped: isOwnForm(field, widget, holds),
    strict: field.settings.strict === true,
    takesFile: field.type === 'multipartFile',
  }
}

interface Shape {
  widget: WidgetName
  holds: Holds
  multiple: boolean
  choices?: readonly unknown[]
}

/** What the schema says comes first, and where it says nothing, the column. */
function shapeOf(field: BodyField, reference: Reference | undefined): Shape {
  const { json, type } = field
  const one = (widget: WidgetName, holds: Holds, choices?: readonly unknown[]): Shape => ({
    widget,
    holds,
    multiple: false,
    choices,
  })
  if (type === 'multipartFile') return one('file', 'file')
  if (reference) return one('select', kindOf(field))
  if (kindOf(field) === 'boolean') {
    return canBeNull(field) ? one('select', 'boolean', [true, false]) : one('checkbox', 'boolean')
  }
  if (json.type === 'array') return listShape(json)
  const choices = choicesOf(field)
  if (choices) return one('select', kindOf(field), choices)
  if (isTree(field)) return one('json', 'json')
  return one(widgetFor(field), kindOf(field))
}

/** A list that can't be null can at least have nothing in it. */
function emptying(field: BodyField, multiple: boolean): Pick<FormField, 'nullable' | 'emptied'> {
  if (canBeNull(field)) return { nullable: true, emptied: null }
  return { nullable: multiple && !field.json.minItems, emptied: [] }
}

function canBeNull({ column, nullable, required }: BodyField): boolean {
  return column ? column.nullable && (nullable || !required) : nullable
}

function listShape({ items }: JsonSchema): Shape {
  const item = Array.isArray(items) ? undefined : items
  const json: Shape = { widget: 'json', holds: 'json', multiple: false }
  if (!item) return json
  if (item.enum) {
    return { widget: 'multi-select', holds: 'text', multiple: true, choices: item.enum }
  }
  const holds = { string: 'text', number: 'number', integer: 'number' }[String(item.type)]
  return holds ? { widget: 'textarea', holds: holds as Holds, multiple: true } : json
}

function choicesOf({ json, column, rules, type }: BodyField): readonly unknown[] | undefined {
  if (type === 'boolean') return undefined
  if (json.enum) return json.enum
  const listed = rules.find(({ name }) => name === 'inList')?.options as { choices?: unknown }
  if (Array.isArray(listed?.choices)) return listed.choices
  return column?.choices ?? undefined
}

/** Whether only JSON can write its values: in a JSON column, where the schema wants nothing plainer. */
function isTree({ json, column, type }: BodyField): boolean {
  if (column?.kind === 'json') {
    return type !== 'boolean' && !['string', 'number', 'integer'].includes(json.type as string)
  }
  return json.type === 'object' && type !== 'any'
}

/** What a browser's input sends is the wire's form but for moments, and for the seconds of a time. */
function isOwnForm(field: BodyField, widget: WidgetName | Widget, holds: Holds): boolean {
  const isPlain = widget === 'text' || widget === 'textarea'
  return field.isOwn && (holds === 'time' || isPlain || field.settings.formats !== undefined)
}

/** Whether a schema of the model's own wants a text, whatever the column holds. */
function wantsText({ isOwn, json, type }: BodyField): boolean {
  return (
    isOwn && (json.type === 'string' || (type === 'enum' && typeof json.enum?.[0] === 'string'))
  )
}

function kindOf(field: BodyField): Holds {
  const { json, column, type } = field
  switch (column?.kind) {
    case 'boolean':
      return wantsText(field) ? 'text' : column.kind
    case 'date':
    case 'datetime':
    case 'time':
      return column.kind
    case 'integer':
    case 'number':
      return wantsText(field) ? 'text' : 'number'
    default:
      if (column && column.kind !== 'json') return 'text'
      if (type === 'boolean' || type === 'checkbox') return 'boolean'
      if (type === 'date') return 'date'
      return json.type === 'number' || json.type === 'integer' ? 'number' : 'text'
  }
}

function widgetFor(field: BodyField): WidgetName {
  const kind = kindOf(field)
  if (kind === 'boolean') return 'checkbox'
  if (kind === 'datetime') return 'datetime-local'
  if (kind !== 'text') return kind as WidgetName
  const { json, column, wire } = field
  if (/^password/i.test(wire)) return 'password'
  if (json.format === 'email') return 'email'
  if (json.format === 'uri') return 'url'
  return isLong(field) || column?.kind === 'binary' ? 'textarea' : 'text'
}

function isLong({ json, column }: BodyField): boolean {
  const most = Math.min(json.maxLength ?? Infinity, column?.maxLength ?? Infinity)
  if (Number.isFinite(most)) return most > LONGEST_LINE
  return column?.kind === 'text' && json.format === undefined
}

/** What a widget that somebody chose makes of the texts; most leave the field what it is. */
function heldBy(widget: WidgetName | Widget, holds: Holds): Holds {
  if (widget instanceof Widget) return holds
  if (widget === 'json' || widget === 'file') return widget
  return holds === 'json' || holds === 'file' ? 'text' : holds
}

function attributesOf(
  field: BodyField,
  widget: WidgetName | Widget,
  holds: Holds,
  multiple: boolean
): FormField['attributes'] {
  if (multiple || ['select', 'multi-select', 'checkbox'].includes(widget as string)) return {}
  const attributes = constraintsOf(field, holds)
  if (widget === 'password') return { ...attributes, autocomplete: 'new-password' }
  if (widget === 'textarea' || widget instanceof Widget) delete attributes.pattern
  return attributes
}

/** What the database would write for it, where it says so. */
function initialOf({ column }: BodyField, holds: Holds): readonly string[] {
  const text = column?.defaultText
  if (text === null || text === undefined || column!.hidden) return []
  switch (holds) {
    case 'text':
      return column!.kind === 'text' || column!.kind === 'uuid' ? [text] : []
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? [text] : []
    case 'boolean':
      return [/^(?:1|true)$/i.test(text) ? 'true' : 'false']
    default:
      return []
  }
}
