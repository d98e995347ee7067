import { MOST_OPERATIONS } from '../endpoints/batch/batch_body.js'
import type { Operation } from '../operations/operation.js'
import type { Resource } from '../resource/resource.js'
import { answerSchema, inputForm, withNull } from './column_schema.js'
import type { SchemaObject } from './openapi_types.js'
import { describeBody } from './request_body.js'

/** The schema of a batch's body. [D4] */
export function describeBatch(
  resource: Resource,
  operations: readonly Operation[],
  isStrict: boolean
): SchemaObject {
  const lists: Record<string, SchemaObject> = {
    create: describeBody(resource.createBody, 'create', isStrict),
    update: describeUpdate(resource, isStrict),
    delete: keySchema(resource, inputForm),
  }
  const offered = Object.entries(lists).filter(([name]) => operations.includes(name as Operation))
  return {
    type: 'object',
    description: `At most ${MOST_OPERATIONS.toLocaleString('en')} operations in all, done in this order`,
    properties: Object.fromEntries(
      offered.map(([name, items]) => [name, { type: 'array', maxItems: MOST_OPERATIONS, items }])
    ),
    ...(isStrict && { additionalProperties: false }),
  }
}

/** The schema of a batch's response. [D4] */
export function describeBatchAnswer(resource: Resource, item: SchemaObject): SchemaObject {
  const items = (description: string): SchemaObject => ({
    type: 'array',
    description,
    items: withNull(item, true),
  })
  const properties = {
    created: items('The new items; null for those that the caller may not read'),
    updated: items('The changed items; null for those that the caller may not read'),
    deleted: { type: 'array' as const, items: keySchema(resource, answerSchema) },
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}

function describeUpdate(resource: Resource, isStrict: boolean): SchemaObject {
  const {
    properties = {},
    required = [],
    ...schema
  } = describeBody(resource.updateBody, 'update', isStrict)
  return {
    ...schema,
    properties: { id: keySchema(resource, inputForm), ...properties },
    required: ['id', ...required.filter((name) => name !== 'id')],
  }
}

/** A composite key is an array of its parts. */
function keySchema(
  { key }: Resource,
  schemaOf: (column: Resource['key']['columns'][0]) => SchemaObject
): SchemaObject {
  const parts = key.columns.map(schemaOf)
  if (parts.length === 1) return parts[0]
  const { length } = parts
  return { type: 'array', prefixItems: parts, minItems: length, maxItems: length }
}
