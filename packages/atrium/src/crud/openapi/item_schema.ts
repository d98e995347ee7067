import { MOST_AUTHORIZED } from '../operations/lists/count_allowed.js'
import { PIVOT, type PivotColumns } from '../resource/pivot_columns.js'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import { includesOf } from '../endpoints/access_to_include.js'
import { answerSchema, withNull } from './column_schema.js'
import type { SchemaObject } from './openapi_types.js'
import { fromVine } from './vine_schema.js'

/**
 * The schema of an item in responses. [A2, Q3]
 *
 * @param refTo  refers to the schema of another resource's items
 */
export function describeItem(
  resource: Resource,
  refTo: (related: Resource) => SchemaObject
): SchemaObject {
  if (resource.reader.serializesItself) {
    return {
      type: 'object',
      description: `As ${resource.name} writes itself`,
      additionalProperties: true,
    }
  }
  const properties: Record<string, SchemaObject> = {}
  for (const column of resource.fields) {
    properties[column.apiName] = column.writesItself
      ? { ...selectedSchema(resource, column.apiName), ...answerSchema(column) }
      : answerSchema(column)
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
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** The properties of an included relation. [Q3] */
function includeProperties(
  { hasMore, isList, limit, name, pivot }: IncludedRelation,
  item: SchemaObject
): Record<string, SchemaObject> {
  const description = `With \`include=${name}\``
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
  const properties = Object.fromEntries(columns.map(({ name, read }) => [name, answerSchema(read)]))
  const pivot = { type: 'object' as const, properties, required: Object.keys(properties) }
  return { type: 'object', properties: { [PIVOT]: pivot }, required: [PIVOT] }
}

/** The schema of a list, in each shape that a request can choose. [S2, P14, Q4, Q5] */
export function describeList(item: SchemaObject, { authorizesRecords }: Resource): SchemaObject {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: item },
      total_count: {
        type: authorizesRecords ? ['integer', 'null'] : 'integer',
        minimum: 0,
        description: authorizesRecords
          ? `All that match and that the caller may read; not with \`count=false\` or \`cursor\`. Null where more than ${MOST_AUTHORIZED.toLocaleString('en')} match, as each must be looked at`
          : 'All that match; not with `count=false` or `cursor`',
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
    required: ['data'],
  }
}

/** The model does not tell the type of a computed property; `selectSchema` may. */
function selectedSchema({ selected }: Resource, name: string): SchemaObject {
  const field = selected?.get(name)
  if (!field) return {}
  return withNull(fromVine(field.json), field.nullable)
}
