import type { Column, ColumnKind } from '../resource/column.js'
import type { SchemaObject } from './openapi_types.js'

const MOMENT: SchemaObject = {
  type: 'string',
  description: 'YYYY-MM-DD HH:MM:SS in UTC',
  pattern: String.raw`^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$`,
  examples: ['2026-03-01 14:30:00'],
}

const CLOCK: SchemaObject = {
  type: 'string',
  description: 'HH:MM:SS',
  pattern: String.raw`^\d{2}:\d{2}:\d{2}$`,
  examples: ['14:30:00'],
}

/** The form that answers have. [A20] */
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

/** Bodies and query strings may say the same in more ways. */
const INPUT_FORMS: Partial<Record<ColumnKind, SchemaObject>> = {
  datetime: {
    ...MOMENT,
    description: 'YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601 with an offset',
    pattern: String.raw`^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$`,
  },
  time: { ...CLOCK, pattern: String.raw`^\d{2}:\d{2}(:\d{2})?$` },
}

/* Some need more digits than JSON numbers are sure to keep, and then are those as text. */
const BIG_INTEGER: SchemaObject = {
  type: ['integer', 'string'],
  format: 'int64',
  pattern: String.raw`^(0|-?[1-9]\d{0,18})$`,
  description: 'Beyond 2^53 its digits as a string',
}

/**
 * A column's value as answers hold it.
 */
export function answerSchema(column: Column): SchemaObject {
  const form = column.writesItself ? {} : formOf(column)
  return withNull({ ...form, ...column.described }, column.nullable && !column.isPrimary)
}

/**
 * A column's value as parameters have it.
 */
export function inputForm(column: Column): SchemaObject {
  return INPUT_FORMS[column.kind] ?? formOf(column)
}

/**
 * A column's value as bodies have it, null left out, in the range that the database keeps. Integers
 * beyond what JSON numbers hold would come back as strings, which only those columns answer with that
 * are meant for them. [A20]
 */
export function bodyForm(column: Column): SchemaObject {
  const form = inputForm(column)
  const { kind, decimalRange, integerRange } = column
  if (kind === 'number' && decimalRange && !column.preparesItself) {
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

/**
 * The same schema, of a value that may also be null.
 */
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
  if (column.isBigInteger) return BIG_INTEGER
  const form = { ...FORMS[column.kind] }
  if (column.kind !== 'text') return form
  if (column.choices) form.enum = [...column.choices]
  /* What a model makes of its value is not what the table's limit is about. */
  else if (column.maxLength !== null && !column.preparesItself) form.maxLength = column.maxLength
  return form
}
