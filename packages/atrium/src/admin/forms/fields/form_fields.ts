import type { BodyField, BodySchema } from '#base/schema/body_schema'
import { isFileType, type JsonSchema } from '#base/schema/object_schema'
import type { Site } from '../../views/site.js'
import { choiceOf } from '../../views/choice_options.js'
import type { ModelView } from '../../views/model_view.js'
import { type FieldOptions, isHiddenFor } from '../../views/view_options.js'
import { referencesOf, type Reference } from '../../relations/references.js'
import { isIdentifier } from '../../list/table_columns.js'
import { grouped } from '#base/values/numbers'
import {
  fileAttributes,
  fileListAttributes,
  isFileField,
  isFileList,
  isFileWidget,
  MOST_FILES,
} from '../files/file_fields.js'
import { listedChoices } from './choices.js'
import { type WidgetName, Widget } from '../../views/widget.js'
import { constraintsOf } from './field_constraints.js'
import type { FormField, ValueType } from './form_field.js'
import { conditionOf } from '../../views/visible_when.js'
import { FormWidget } from './widgets/form_widget.js'
import { ListWidget, makeWidget } from './widgets/make_widget.js'
import { isPassword } from './widgets/new_password_widget.js'
import type { HttpContext } from '@adonisjs/core/http'
import { guardOf } from '../../identity/admin_guard.js'

export type FormMode = 'create' | 'update'

/* Maximum length of a text in a single-line input */
const LONGEST_LINE = 255

const known = new WeakMap<ModelView, Partial<Record<FormMode, FormField[]>>>()

/**
 * Returns the fields of a form, in the order of the schema for the mode. The view's resource must be loaded.
 */
export function formFields(site: Site, view: ModelView, mode: FormMode): FormField[] {
  const forms = known.get(view) ?? {}
  known.set(view, forms)
  forms[mode] ??= makeFields(site, view, mode)
  return forms[mode]
}

/**
 * Returns the fields that the user is only allowed to read. A form that was opened earlier may still submit them.
 */
export function readOnlyFields(site: Site, view: ModelView, mode: FormMode): FormField[] {
  const { createBody, updateBody } = view.resource
  const readOnly = (mode === 'create' ? createBody : updateBody).readOnly.filter(
    ({ column }) => column && !(mode === 'update' && column.isPrimary)
  )
  if (readOnly.length === 0) return []
  const references = referencesOf(site, view)
  return readOnly.map((field) => {
    const reference = references.find(({ column }) => column === field.column)
    return makeField(view, field, reference, mode)
  })
}

/**
 * Returns the fields of a form whose values are not columns, such as the form of an action. The options of the model's
 * fields apply to those of the same name.
 */
export function actionFields(view: ModelView, body: BodySchema): FormField[] {
  return body.fields.map((field) => makeField(view, field, undefined, 'create'))
}

function makeFields(site: Site, view: ModelView, mode: FormMode): FormField[] {
  const { createBody, updateBody } = view.resource
  const body = mode === 'create' ? createBody : updateBody
  const references = referencesOf(site, view)
  return (
    body.fields
      /* The key can't be updated. */
      .filter(({ column }) => !(mode === 'update' && column?.isPrimary))
      /*
       * The position of a row is changed by moving the row in its list, so the field is left out unless a schema
       * requires it.
       */
      .filter(({ apiName, required }) => required || apiName !== view.options.orderBy)
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
  const { apiName: name, column } = field
  const options = view.fieldOptions(name)
  const { help, visibleWhen } = options
  const shape = shapeOf(field, reference)
  /* A field that either schema declares as a file is a file field in both forms. */
  const usual = isFileField(view, name) ? 'file' : shape.widget
  const widget = widgetOf(options, field, mode) ?? usual
  const own = widget instanceof FormWidget ? widget : undefined
  const valueType = heldBy(widget, shape.valueType)
  const isFiles = isFileWidget(widget) && isFileList(view, column)
  const fileLimits = isFileType(field.type) ? field.settings : undefined
  const multiple = isFiles || (shape.multiple && valueType !== 'json')
  const isSecret = isPassword(widget)
  const isGrouped = widget === 'number' && !reference && isQuantity(view, column)
  const initial = mode === 'create' ? initialOf(field, valueType) : []
  return {
    name,
    label: view.labelOf(name),
    help,
    prefix: options.prefix ?? own?.prefix,
    suffix: options.suffix ?? own?.suffix,
    widget,
    valueType,
    required: field.required && widget !== 'checkbox' && !own?.fillsItself,
    condition: conditionOf(visibleWhen),
    ...emptying(field, multiple || own?.isList === true),
    column,
    virtual: column === undefined,
    multiple,
    choices: shape.choices,
    labelOf: (value) => choiceOf(view, name, value)?.label,
    reference,
    attributes: isFiles
      ? fileListAttributes(widget, fileLimits ?? {}, field.json.maxItems ?? MOST_FILES)
      : isFileWidget(widget)
        ? fileAttributes(widget)
        : attributesOf(field, widget, valueType, shape.multiple),
    hidden: isSecret || (column?.hidden ?? true) || column?.kind === 'binary',
    secret: isSecret || (column?.hidden ?? false),
    password: isSecret,
    initial: isGrouped ? initial.map(grouped) : initial,
    asTyped: isOwnForm(field, widget, valueType),
    grouped: isGrouped,
    strict: field.settings.strict === true,
    takesFile: isFileType(field.type),
    fileLimits,
  }
}

/** Returns true for numbers with thousands separators. A model with a custom conversion defines its own format. */
function isQuantity(view: ModelView, column: BodyField['column']): boolean {
  if (!column) return true
  return !column.preparesItself && !column.serialize && !isIdentifier(view, column)
}

/** Returns the widget of the options (a name or a class), or the list widget for an array; otherwise undefined. */
function widgetOf(options: FieldOptions, field: BodyField, mode: FormMode) {
  const { widget } = options
  if (typeof widget === 'function') return new widget()
  const { column, json, settings } = field
  const made = makeWidget(options, {
    kind: column?.kind,
    isList: json.type === 'array',
    strict: settings.strict === true,
    most: Math.min(json.maxLength ?? Infinity, column?.maxLength ?? Infinity),
    isCreate: mode === 'create',
  })
  if (made || widget) return made ?? (widget as WidgetName)
  return isArray(field) ? new ListWidget() : undefined
}

/** Returns true for a database array, unless its items are selected from a list. */
function isArray({ column, json }: BodyField): boolean {
  if (!column?.element || json.type !== 'array') return false
  return listShape(json).widget !== 'multi-select'
}

interface Shape {
  widget: WidgetName
  valueType: ValueType
  multiple: boolean
  choices?: readonly unknown[]
}

/** Returns the default widget and its type of value. The schema takes precedence over the column. */
function shapeOf(field: BodyField, reference: Reference | undefined): Shape {
  const { json, type } = field
  const one = (widget: WidgetName, valueType: ValueType, choices?: readonly unknown[]): Shape => ({
    widget,
    valueType,
    multiple: false,
    choices,
  })
  if (type === 'multipartFile') return one('file', 'file')
  if (reference) return one('select', kindOf(field))
  if (kindOf(field) === 'boolean') {
    return canBeNull(field) ? one('select', 'boolean', [true, false]) : one('checkbox', 'boolean')
  }
  if (json.type === 'array') return listShape(json)
  const choices = listedChoices(field)
  if (choices) return one('select', kindOf(field), choices)
  if (isTree(field)) return one('json', 'json')
  return one(widgetFor(field), kindOf(field))
}

/** Returns how a field is cleared. A list that can't be null is cleared to an empty list. */
function emptying(field: BodyField, multiple: boolean): Pick<FormField, 'nullable' | 'emptied'> {
  if (canBeNull(field)) return { nullable: true, emptied: null }
  return { nullable: multiple && !field.json.minItems, emptied: [] }
}

function canBeNull({ column, nullable, required }: BodyField): boolean {
  return column ? column.nullable && (nullable || !required) : nullable
}

function listShape({ items }: JsonSchema): Shape {
  const item = Array.isArray(items) ? undefined : items
  const json: Shape = { widget: 'json', valueType: 'json', multiple: false }
  if (!item) return json
  if (item.enum) {
    return { widget: 'multi-select', valueType: 'text', multiple: true, choices: item.enum }
  }
  const valueType = { string: 'text', number: 'number', integer: 'number' }[String(item.type)]
  return valueType
    ? { widget: 'textarea', valueType: valueType as ValueType, multiple: true }
    : json
}

/**
 * Returns true if the values can only be edited as JSON: a JSON column, unless its schema declares a simpler type, or
 * another field whose schema is an object.
 */
function isTree({ json, column, type }: BodyField): boolean {
  if (column?.kind === 'json') {
    return type !== 'boolean' && !['string', 'number', 'integer'].includes(json.type as string)
  }
  return json.type === 'object' && type !== 'any'
}

/**
 * Returns true if the model's schema may accept a custom format, so that the submitted text is passed on unchanged.
 * Other inputs of browsers submit the format of the API, except for datetimes and the seconds of times.
 */
function isOwnForm(field: BodyField, widget: WidgetName | Widget, valueType: ValueType): boolean {
  const isPlain = widget === 'text' || widget === 'textarea'
  return field.isOwn && (valueType === 'time' || isPlain || field.settings.formats !== undefined)
}

/** Returns true if the model's schema expects a text, regardless of the column. */
function wantsText({ isOwn, json, type }: BodyField): boolean {
  return (
    isOwn && (json.type === 'string' || (type === 'enum' && typeof json.enum?.[0] === 'string'))
  )
}

function kindOf(field: BodyField): ValueType {
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
  const { json, column, apiName } = field
  if (/^password/i.test(apiName)) return 'password'
  if (json.format === 'email') return 'email'
  if (json.format === 'uri') return 'url'
  return isLong(field) || column?.kind === 'binary' ? 'textarea' : 'text'
}

function isLong({ json, column }: BodyField): boolean {
  const most = Math.min(json.maxLength ?? Infinity, column?.maxLength ?? Infinity)
  if (Number.isFinite(most)) return most > LONGEST_LINE
  return column?.kind === 'text' && json.format === undefined
}

/** Returns the value type of a configured widget; most widgets use the type of the field. */
function heldBy(widget: WidgetName | Widget, valueType: ValueType): ValueType {
  if (widget instanceof Widget) return valueType
  if (widget === 'json' || widget === 'file') return widget
  if (widget === 'image') return 'file'
  return valueType === 'json' || valueType === 'file' ? 'text' : valueType
}

function attributesOf(
  field: BodyField,
  widget: WidgetName | Widget,
  valueType: ValueType,
  multiple: boolean
): FormField['attributes'] {
  if (multiple && widget instanceof FormWidget) return widget.attributesFrom({})
  if (multiple || ['select', 'multi-select', 'checkbox'].includes(widget as string)) return {}
  const attributes = constraintsOf(field, valueType)
  if (isPassword(widget)) return { ...attributes, autocomplete: 'new-password' }
  if (widget === 'textarea' || widget instanceof Widget) delete attributes.pattern
  return widget instanceof FormWidget ? widget.attributesFrom(attributes) : attributes
}

/** Returns the default of the database column as texts; none if it is unknown or the column is hidden. */
function initialOf({ column }: BodyField, valueType: ValueType): readonly string[] {
  const text = column?.defaultText
  if (text === null || text === undefined || column!.hidden) return []
  switch (valueType) {
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

/**
 * Returns a field that selects a record and is not a column of the form's model, such as the record of a new pivot
 * row.
 */
export function referenceField(name: string, label: string, reference: Reference): FormField {
  const { kind } = reference.target
  return {
    name,
    label,
    help: undefined,
    prefix: undefined,
    suffix: undefined,
    widget: 'select',
    valueType: kind === 'integer' || kind === 'number' ? 'number' : 'text',
    required: false,
    condition: undefined,
    nullable: true,
    emptied: null,
    column: undefined,
    virtual: true,
    multiple: false,
    choices: undefined,
    reference,
    attributes: {},
    hidden: false,
    secret: false,
    initial: [],
    asTyped: false,
    strict: false,
    takesFile: false,
    grouped: false,
  }
}

/** Returns the names of the fields that the options `fields.NAME.hidden` leave out of forms for the signed-in user. */
export function hiddenNames(ctx: HttpContext, view: ModelView): Set<string> {
  const fields = Object.entries(view.options.fields ?? {}).filter(([, { hidden }]) => hidden)
  /* Returns early, as `owner.user` creates a model instance, which takes as long as finding the session. */
  if (fields.length === 0) return new Set()
  const { user } = guardOf(ctx).signedInOrFail().owner
  return new Set(fields.filter(([, { hidden }]) => isHiddenFor(user, hidden)).map(([name]) => name))
}
