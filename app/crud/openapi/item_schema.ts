import { MOST_JUDGED } from '../operations/allowed_records.js'
import type { Resource } from '../resource/resource.js'
import { resources } from '../resource/registry.js'
import { answerSchema, withNull } from './column_schema.js'
import type { SchemaObject } from './openapi_types.js'
import { fromVine } from './vine_schema.js'

/**
 * An item as answers hold it. [A2, Q3]
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
    properties[column.wire] = column.writesItself
      ? { ...selectedSchema(resource, column.wire), ...answerSchema(column) }
      : answerSchema(column)
  }
  const required = Object.keys(properties)
  for (const [attribute, wire] of resource.computed) {
    const { meta } = resource.model.$computedDefinitions.get(attribute)!
    properties[wire] = { ...selectedSchema(resource, attribute), ...meta?.openapi, readOnly: true }
  }
  for (const [name, inclusion] of resources.includesOf(resource)) {
    const item = refTo(inclusion.resource)
    properties[name] = {
      description: `With \`include=${name}\``,
      readOnly: true,
      ...(inclusion.isList ? { type: 'array', items: item } : withNull(item, true)),
    }
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/**
 * A list, in all the shapes that it can be asked for. [S2, P14, Q4, Q5]
 */
export function describeList(item: SchemaObject, { judgesRecords }: Resource): SchemaObject {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: item },
      total_count: {
        type: judgesRecords ? ['integer', 'null'] : 'integer',
        minimum: 0,
        description: judgesRecords
          ? `All that match and that the caller may read; not with \`count=false\` or \`cursor\`. Null where more than ${MOST_JUDGED.toLocaleString('en')} match, as each must be looked at`
          : 'All that match; not with `count=false` or `cursor`',
      },
      has_more: {
        type: 'boolean',
        description: judgesRecords
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

/** The model can't tell the type of what it works out; the schema of what is shown may. */
function selectedSchema({ selected }: Resource, name: string): SchemaObject {
  const field = selected?.get(name)
  if (!field) return {}
  return withNull(fromVine(field.json), field.nullable)
}
