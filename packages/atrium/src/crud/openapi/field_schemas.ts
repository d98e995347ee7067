import { groupedNumber } from '#base/values/numbers'
import { isDeepStrictEqual } from 'node:util'
import type { SchemaObject } from './openapi_types.js'
import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'
import { MOST_AUTHORIZED } from '../operations/lists/allowed_records.js'
import { PIVOT, type PivotColumns } from '../resource/pivot_columns.js'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import { includesOf } from '../endpoints/access.js'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { ADMIN_OPTIONS, storedOptions } from '#base/stored_options'

/** The options of the admin site that describe the values of enums. */
interface DescribedFields {
  fields?: Record<string, { choices?: Record<string, { label?: string }> }>
}

/**
 * Returns a map of properties with `x-enum-descriptions` where the admin site has labels for the values of an enum: a
 * list in the order of `enum`.
 */
export function withEnumDescriptions(
  model: LucidModel,
  properties: Record<string, SchemaObject>
): Record<string, SchemaObject> {
  const { fields } = storedOptions<DescribedFields>(model, ADMIN_OPTIONS, '@AdminView') ?? {}
  if (!fields) return properties
  const described = Object.entries(properties).map(([name, schema]) => {
    const choices = Object.hasOwn(fields, name) ? fields[name].choices : undefined
    return [name, choices && schema.enum ? labelled(schema, choices) : schema] as const
  })
  return Object.fromEntries(described)
}

function labelled(schema: SchemaObject, choices: Record<string, { label?: string }>): SchemaObject {
  const labels = schema.enum!.map((value) => {
    const name = String(value)
    return (Object.hasOwn(choices, name) ? choices[name].label : undefined) ?? name
  })
  return { ...schema, 'x-enum-descriptions': labels }
}

/** VineJS's schema of a boolean, which lists all accepted values. */
const VINE_BOOLEAN = ['1', 1, 'true', true, 'on', '0', 0, 'false', false]

/** The types that `vine.any()` lists. */
const EVERY_TYPE = ['string', 'number', 'boolean', 'array', 'object']

/**
 * Converts VineJS's JSON Schema (draft 7) to the dialect of OpenAPI 3.1, as it applies to API clients: a boolean is a
 * boolean, and unknown fields are ignored.
 */
export function fromVine(json: object): SchemaObject {
  const { additionalItems, ...schema } = json as SchemaObject & { additionalItems?: unknown }
  if (schema.enum && isDeepStrictEqual(schema.enum, VINE_BOOLEAN)) {
    delete schema.enum
    schema.type = 'boolean'
  }
  if (schema.enum && !schema.type) {
    const types = new Set(schema.enum.map((value) => typeof value))
    if (types.size === 1) schema.type = [...types][0]
  }
  if (schema.anyOf) {
    const alternatives = schema.anyOf.map(fromVine)
    if (isEverything(schema.anyOf) || alternatives.some(isEmpty)) delete schema.anyOf
    else schema.anyOf = alternatives
  }
  if (Array.isArray(schema.items)) {
    schema.prefixItems = schema.items.map(fromVine)
    schema.items = additionalItems === false ? false : {}
  } else if (typeof schema.items === 'object') schema.items = fromVine(schema.items)

  if (schema.properties) schema.properties = mapValues(schema.properties, fromVine)
  if (typeof schema.additionalProperties === 'object') {
    schema.additionalProperties = fromVine(schema.additionalProperties)
  } else if (schema.properties) delete schema.additionalProperties
  if (schema.type === 'object' && !schema.properties) schema.additionalProperties ??= true
  if (schema.pattern !== undefined && !isPortable(schema.pattern)) delete schema.pattern
  return schema
}

function isEmpty(schema: SchemaObject): boolean {
  return Object.keys(schema).length === 0
}

function isEverything(alternatives: SchemaObject[]): boolean {
  return EVERY_TYPE.every((type) => alternatives.some((one) => isDeepStrictEqual(one, { type })))
}

/**
 * True if a pattern is valid with the flag `u`, which allows fewer escapes and is used by many consumers of the schema.
 */
function isPortable(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}

function mapValues<From, To>(map: Record<string, From>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))
}

const MOMENT: SchemaObject = {
  type: 'string',
  description: 'YYYY-MM-DD HH:MM:SS in UTC',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
  examples: ['2026-03-01 14:30:00'],
}

const CLOCK: SchemaObject = {
  type: 'string',
  description: 'HH:MM:SS, with a fraction of a second if there is one',
  pattern: String.raw`^\d{2}:\d{2}:\d{2}(\.\d{1,6})?$`,
  examples: ['14:30:00'],
}

/** Types without a JSON form, which are read and written in the text form of the database */
const DATABASE_TEXTS =
  /^(?:interval|inet|cidr|macaddr8?|bit|xml|point|line|lseg|box|path|polygon|circle|tsvector|tsquery|pg_lsn|time(?:\(\d\))? with time zone|\w+range)\b/

/** Schemas of values in responses. */
const FORMS: Record<ColumnKind, SchemaObject> = {
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date', examples: ['2026-03-01'] },
  datetime: MOMENT,
  time: CLOCK,
  json: { description: 'Any JSON value' },
  binary: { type: 'string', contentEncoding: 'base64' },
}

/** Schemas of values in bodies and query strings, which accept additional forms. */
const INPUT_FORMS: Partial<Record<ColumnKind, SchemaObject>> = {
  datetime: {
    ...MOMENT,
    description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601 with an offset',
    pattern: String.raw`^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$`,
  },
  time: { ...CLOCK, pattern: String.raw`^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$` },
}

/* Integers with more digits than JSON numbers can represent are returned as text. */
const BIG_INTEGER: SchemaObject = {
  type: ['integer', 'string'],
  format: 'int64',
  pattern: String.raw`^(0|-?[1-9]\d{0,18})$`,
  description: 'Beyond 2^53 its digits as a string',
}

const UNSIGNED_INTEGER: SchemaObject = {
  type: BIG_INTEGER.type,
  description: BIG_INTEGER.description,
  pattern: String.raw`^(0|[1-9]\d{0,19})$`,
}

const LONG_DECIMAL: SchemaObject = {
  type: ['number', 'string'],
  pattern: String.raw`^-?\d+(\.\d+)?$`,
  description: 'With more than 15 digits, its digits as a string',
}

/** Returns the schema of a column's value in responses. */
export function responseSchema(column: Column): SchemaObject {
  const form = column.writesItself ? {} : formOf(column)
  return withNull({ ...form, ...column.described }, column.nullable && !column.isPrimary)
}

/** Returns the schema of a column's value in parameters. */
export function inputForm(column: Column): SchemaObject {
  return INPUT_FORMS[column.kind] ?? formOf(column)
}

/**
 * Returns the schema of a column's value in bodies, without null, in the range of the database. Integers beyond the
 * range of JSON numbers are excluded, except for columns of large integers: responses return such values as strings.
 */
export function bodyForm(column: Column): SchemaObject {
  const form = column.element
    ? { type: 'array' as const, items: withNull(bodyForm(column.element), true) }
    : inputForm(column)
  const { kind, decimalRange, integerRange } = column
  if (kind === 'number' && decimalRange && !column.preparesItself && !column.isLongDecimal) {
    return { ...form, minimum: -Number(decimalRange.most), maximum: Number(decimalRange.most) }
  }
  if (kind !== 'integer' || column.isBigInteger) return form
  const { least, most } = integerRange ?? {}
  return {
    ...form,
    minimum: Math.max(Number.MIN_SAFE_INTEGER, Number(least ?? -Infinity)),
    maximum: Math.min(Number.MAX_SAFE_INTEGER, Number(most ?? Infinity)),
  }
}

/** Returns the schema for a value that can also be null. */
export function withNull(schema: SchemaObject, nullable: boolean): SchemaObject {
  if (!nullable) return schema
  if (schema.enum)
    schema = { ...schema, enum: [...schema.enum.filter((one) => one !== null), null] }
  if (schema.type) {
    return { ...schema, type: [...new Set([schema.type, 'null'].flat())] }
  }
  if (schema.$ref) return { anyOf: [schema, { type: 'null' }] }
  return schema.anyOf ? { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] } : schema
}

function formOf(column: Column): SchemaObject {
  if (column.element) return { type: 'array', items: withNull(formOf(column.element), true) }
  if (column.isBigInteger) return column.isUnsigned ? UNSIGNED_INTEGER : BIG_INTEGER
  if (column.isLongDecimal) return LONG_DECIMAL
  const form = { ...FORMS[column.kind] }
  if (column.kind !== 'text') return form
  if (column.choices) form.enum = [...column.choices]
  /* If the model converts the value, the limit of the table applies to the result, and not to the input. */
  else if (column.maxLength !== null && !column.preparesItself) form.maxLength = column.maxLength
  else if (DATABASE_TEXTS.test(column.sqlType))
    form.description = `The database's text of ${column.sqlType}`
  return form
}

/**
 * Returns the schema of an item in responses.
 *
 * @param refTo  returns a reference to the schema of another resource's items
 */
export function describeItem(
  resource: Resource,
  refTo: (related: Resource) => SchemaObject
): SchemaObject {
  if (resource.reader.form.serializesItself) {
    return {
      type: 'object',
      description: `As ${resource.name} writes itself`,
      additionalProperties: true,
    }
  }
  const properties: Record<string, SchemaObject> = {}
  for (const column of resource.fields) {
    properties[column.apiName] = column.writesItself
      ? { ...selectedSchema(resource, column.apiName), ...responseSchema(column) }
      : responseSchema(column)
  }
  const required = Object.keys(properties)
  for (const [attribute, apiName] of resource.computed) {
    const { meta } = resource.model.$computedDefinitions.get(attribute)!
    properties[apiName] = {
      ...selectedSchema(resource, attribute),
      ...meta?.openapi,
      readOnly: true,
    }
  }
  for (const include of includesOf(resource).values()) {
    Object.assign(properties, includeProperties(include, refTo(include.resource)))
  }
  const described = withEnumDescriptions(resource.model, properties)
  return { type: 'object', properties: described, ...(required.length > 0 && { required }) }
}

/** Returns the properties of an included relation. */
function includeProperties(
  { hasMore, isAlways, isList, limit, name, pivot }: IncludedRelation,
  item: SchemaObject
): Record<string, SchemaObject> {
  const description = isAlways
    ? 'In reads and lists, for callers who can read it'
    : `With \`include=${name}\``
  if (!isList) return { [name]: { description, readOnly: true, ...withNull(item, true) } }
  return {
    [name]: {
      description: `${description}, the first ${limit} of each item at the most`,
      readOnly: true,
      type: 'array',
      maxItems: limit,
      items: pivot ? { allOf: [item, pivotSchema(pivot)] } : item,
    },
    [hasMore]: {
      description: `Only there if the item has more of \`${name}\``,
      readOnly: true,
      type: 'boolean',
      const: true,
    },
  }
}

function pivotSchema({ columns }: PivotColumns): SchemaObject {
  const properties = Object.fromEntries(
    columns.map(({ name, read }) => [name, responseSchema(read)])
  )
  const pivot = { type: 'object' as const, properties, required: Object.keys(properties) }
  return { type: 'object', properties: { [PIVOT]: pivot }, required: [PIVOT] }
}

/** Returns the schema of a list, in each shape that a request can choose. */
export function describeList(
  item: SchemaObject,
  { authorizesRecords }: Resource,
  name: string
): SchemaObject {
  return {
    type: 'object',
    properties: {
      [name]: { type: 'array', items: item },
      total_count: {
        type: authorizesRecords ? ['integer', 'null'] : 'integer',
        minimum: 0,
        description: authorizesRecords
          ? `All that match and that the caller may read; not with \`count=false\` or \`cursor\`. Null where more than ${groupedNumber(MOST_AUTHORIZED)} match, as each must be looked at`
          : 'All that match; not with `count=false` or `cursor`',
      },
      total_is_estimate: {
        type: 'boolean',
        description: 'With `count=estimate` only: whether `total_count` is an estimate',
      },
      has_more: {
        type: 'boolean',
        description: authorizesRecords
          ? 'Whether there is more behind; by page, with `count=false`, and where `total_count` is null'
          : 'Whether there is more behind; by page, and with `count=false`',
      },
      page: { type: 'integer', minimum: 1, description: 'From 1; by page only' },
      items_per_page: { type: 'integer', minimum: 1, description: 'By page only' },
      next_cursor: {
        type: ['string', 'null'],
        description: 'For `cursor`; null at the end; with `cursor` only',
      },
    },
    required: [name],
  }
}

/**
 * Returns the schema of a property from `selectSchema`, because the model does not declare its type; empty if there is
 * none.
 */
function selectedSchema({ selected }: Resource, name: string): SchemaObject {
  const field = selected?.get(name)
  if (!field) return {}
  return withNull(fromVine(field.json), field.nullable)
}
