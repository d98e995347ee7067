import { groupedNumber } from '#base/values/numbers'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { isSecretName } from '#base/values/text'
import type { BodyField, BodySchema } from '#base/schema/body_schema'
import type { Column } from '#base/columns/column'
import {
  bodyForm,
  withNull,
  responseSchema,
  inputForm,
  fromVine,
  withEnumDescriptions,
} from './field_schemas.js'
import type { SchemaObject } from './openapi_types.js'
import { MOST_OPERATIONS } from '../endpoints/batch/batch.js'
import type { Operation } from '../operations/operation.js'
import type { Resource } from '../resource/resource.js'

/* The constraints that apply to a value in the form of its column. */
const CONSTRAINTS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'enum',
]
/* VineJS's default date format. */
const USUAL_DATE = String.raw`^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$`

const ANNOTATIONS = ['title', 'description', 'examples', 'deprecated']

/**
 * Returns the schema of a create's or an update's body, from its validation schema and the columns.
 *
 * @param isStrict  true if unknown fields are refused
 * @param model     model whose enums have labels in the admin site
 */
export function describeBody(
  body: BodySchema,
  operation: 'create' | 'update',
  isStrict = false,
  model?: LucidModel
): SchemaObject {
  /*
   * Left out are a file, which JSON cannot contain; in a create, names of files, as a new record has none; in an
   * update, a key that is not required, as an update does not change keys.
   */
  const fields = body.fields.filter(
    (field) =>
      field.type !== 'multipartFile' &&
      !(operation === 'create' && field.type === 'multipartFiles') &&
      !(operation === 'update' && field.column?.isPrimary && !field.required)
  )
  const required = fields.filter((field) => field.required).map((field) => field.apiName)
  const properties = Object.fromEntries(
    fields.map((field) => [field.apiName, describeField(field)])
  )
  return {
    type: 'object',
    properties: model ? withEnumDescriptions(model, properties) : properties,
    ...(required.length > 0 && { required }),
    ...(isStrict && { additionalProperties: false }),
  }
}

/** A list of files that were uploaded in the admin site. */
const FILE_NAMES: SchemaObject = {
  items: { type: 'string' },
  uniqueItems: true,
  description: 'Names of files that the record has, in order; the others are removed',
}

function describeField(field: BodyField): SchemaObject {
  const { column, required } = field
  const declared = { ...fromVine(field.json), ...(field.type === 'multipartFiles' && FILE_NAMES) }
  /* A pattern with flags is left out, because it would match other texts without them. */
  if (field.rules.some(({ name, options }) => name === 'regex' && hasFlags(options))) {
    delete declared.pattern
  }
  const schema = column
    ? { ...ofColumn(field, declared), ...annotations(column) }
    : ofVirtual(field, declared)
  if (!column || column.hidden) schema.writeOnly = true

  /* A null that the schema itself would ignore clears the column. */
  const takesNull = column ? column.nullable && (field.nullable || !required) : field.nullable
  return withNull({ ...schema, ...pick(declared, ANNOTATIONS) }, takesNull)
}

/**
 * Returns the schema of a field. Text and JSON, and fields for which a custom schema accepts another type than the
 * column's, have the form of the validation schema; all other fields have the form of their column.
 */
function ofColumn(field: BodyField, declared: SchemaObject): SchemaObject {
  const column = field.column!
  const form = bodyForm(column)
  switch (column.kind) {
    case 'json':
      if (column.element && !field.isOwn) return form
      return Object.keys(declared).length > 0 ? declared : form
    case 'text': {
      const isText = declared.type === 'string' || Object.keys(declared).length === 0
      if (!isText && (column.preparesItself || field.isOwn)) return declared
      return { ...form, ...pick(declared, [...CONSTRAINTS, 'format']), ...shorter(form, declared) }
    }
    case 'integer':
    case 'number':
      if (field.isOwn && !isOneOf(declared, ['number', 'integer'])) return declared
      return { ...form, ...pick(declared, CONSTRAINTS) }
    case 'boolean':
      return field.isOwn && !isOneOf(declared, ['boolean']) ? declared : { ...form }
    default:
      if (!field.isOwn) return { ...form }
      if (field.type === 'date') return momentOf(field, form)
      return isOneOf(declared, ['string']) ? { ...form, ...pick(declared, CONSTRAINTS) } : declared
  }
}

/** True if every described type is one of the given types; also for a schema without a type. */
function isOneOf({ type, anyOf }: SchemaObject, types: string[]): boolean {
  return type === undefined ? anyOf === undefined : types.includes(type as string)
}

/** Returns the formats that a `vine.date()` accepts, which can differ from those of the column. */
function momentOf({ settings, rules }: BodyField, form: SchemaObject): SchemaObject {
  const isUsual = !settings.formats && !rules.some(({ name }) => name === 'parse')
  return isUsual || isDayFormat(settings.formats) ? { ...form } : { type: 'string' }
}

/**
 * Returns the column's annotations. If the model has a `serialize` for the column, its described examples apply to
 * responses only, and are left out.
 */
function annotations({ described, serialize }: Column): SchemaObject {
  return pick(described, serialize ? ['title', 'description', 'deprecated'] : ANNOTATIONS)
}

function ofVirtual({ apiName, type, settings }: BodyField, declared: SchemaObject): SchemaObject {
  if (type === 'date') {
    return { type: 'string', ...(!settings.formats && { pattern: USUAL_DATE }), ...declared }
  }
  if (type === 'string' && isSecretName(apiName)) return { ...declared, format: 'password' }
  return declared
}

function isDayFormat(formats: unknown): boolean {
  return [formats].flat().join() === 'YYYY-MM-DD'
}

function shorter(...schemas: SchemaObject[]) {
  const lengths = schemas.flatMap(({ maxLength }) => maxLength ?? [])
  return lengths.length > 0 && { maxLength: Math.min(...lengths) }
}

function hasFlags(options: unknown): boolean {
  return options instanceof RegExp && options.flags.replace('u', '') !== ''
}

function pick(schema: SchemaObject, keywords: string[]): SchemaObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => keywords.includes(keyword))
  )
}

/** Returns the schema of a batch's body. */
export function describeBatch(
  resource: Resource,
  operations: readonly Operation[],
  isStrict: boolean
): SchemaObject {
  const lists: Record<string, SchemaObject> = {
    create: describeBody(resource.createBody, 'create', isStrict, resource.model),
    update: describeUpdate(resource, isStrict),
    delete: keySchema(resource, inputForm),
  }
  const offered = Object.entries(lists).filter(([name]) => operations.includes(name as Operation))
  const mayUpsert = operations.includes('create') && operations.includes('update')
  const keys = mayUpsert ? upsertKeys(resource) : []
  const list = (items: SchemaObject) => ({
    type: 'array' as const,
    maxItems: MOST_OPERATIONS,
    items,
  })
  const properties = Object.fromEntries(offered.map(([name, items]) => [name, list(items)]))
  const upserts = {
    upsert: {
      ...list(lists.create),
      description: 'Created, or updated where an item has the same values in the fields of `on`',
    },
    on: { enum: keys, description: 'For upsert: a unique field, or the key' },
  }
  return {
    type: 'object',
    description: `At most ${groupedNumber(MOST_OPERATIONS)} operations in all, done in this order; deletions are the last`,
    properties: { ...properties, ...(keys.length > 0 && upserts) },
    ...(keys.length > 0 && { dependentRequired: { upsert: ['on'] } }),
    ...(isStrict && { additionalProperties: false }),
  }
}

/** Returns the names of the fields of each unique key that a create can contain. */
function upsertKeys({ columns, createBody, key, wholeKeys }: Resource): string[][] {
  const sent = new Set(createBody.fields.map(({ apiName }) => apiName))
  const keys = [key.columns.map(({ name }) => name), ...wholeKeys].map((names) =>
    names.map((name) => columns.visible.find((column) => column.name === name)?.apiName ?? '')
  )
  const usable = keys.filter((names) => names.every((name) => sent.has(name)))
  return [...new Map(usable.map((names) => [names.join(), names])).values()]
}

/** Returns the schema of a batch's response. */
export function describeBatchResponse(resource: Resource, item: SchemaObject): SchemaObject {
  const items = (description: string): SchemaObject => ({
    type: 'array',
    description,
    items: withNull(item, true),
  })
  const upserted = items('With `upsert`: its items; null for those that the caller may not read')
  const properties = {
    created: items('The new items; null for those that the caller may not read'),
    updated: items('The changed items; null for those that the caller may not read'),
    deleted: { type: 'array' as const, items: keySchema(resource, responseSchema) },
  }
  return {
    type: 'object',
    properties: { ...properties, upserted },
    required: Object.keys(properties),
  }
}

function describeUpdate(resource: Resource, isStrict: boolean): SchemaObject {
  const {
    properties = {},
    required = [],
    ...schema
  } = describeBody(resource.updateBody, 'update', isStrict, resource.model)
  return {
    ...schema,
    properties: { id: keySchema(resource, inputForm), ...properties },
    required: ['id', ...required.filter((name) => name !== 'id')],
  }
}

/** Returns the schema of a key. A composite key is an array of its parts. */
function keySchema(
  { key }: Resource,
  schemaOf: (column: Resource['key']['columns'][0]) => SchemaObject
): SchemaObject {
  const parts = key.columns.map(schemaOf)
  if (parts.length === 1) return parts[0]
  const { length } = parts
  return { type: 'array', prefixItems: parts, items: {}, minItems: length, maxItems: length }
}
