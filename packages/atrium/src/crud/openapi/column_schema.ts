import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'
import type { SchemaObject } from './openapi_types.js'

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

/** Types without a form in JSON, which are read and written as the database writes them */
const DATABASE_TEXTS =
  /^(?:interval|inet|cidr|macaddr8?|bit|xml|point|line|lseg|box|path|polygon|circle|tsvector|tsquery|pg_lsn|time(?:\(\d\))? with time zone|\w+range)\b/

/** The schemas of values in responses. [A20] */
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

/** Bodies and query strings accept further forms. */
const INPUT_FORMS: Partial<Record<ColumnKind, SchemaObject>> = {
  datetime: {
    ...MOMENT,
    description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601 with an offset',
    pattern: String.raw`^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$`,
  },
  time: { ...CLOCK, pattern: String.raw`^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$` },
}

/* Some integers have more digits than JSON numbers keep; these are text. */
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

/** The schema of a column's value in responses. */
export function answerSchema(column: Column): SchemaObject {
  const form = column.writesItself ? {} : formOf(column)
  return withNull({ ...form, ...column.described }, column.nullable && !column.isPrimary)
}

/** The schema of a column's value in parameters. */
export function inputForm(column: Column): SchemaObject {
  return INPUT_FORMS[column.kind] ?? formOf(column)
}

/**
 * The schema of a column's value in bodies, without null, in the range of the database. Integers beyond
 * JSON numbers would come back as strings, which only columns of large integers return. [A20]
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

/** The same schema, for a value that may also be null. */
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
  /* If the model converts the value, the table's limit applies to the result, not to the input. */
  else if (column.maxLength !== null && !column.preparesItself) form.maxLength = column.maxLength
  else if (DATABASE_TEXTS.test(column.sqlType))
    form.description = `The database's text of ${column.sqlType}`
  return form
}
