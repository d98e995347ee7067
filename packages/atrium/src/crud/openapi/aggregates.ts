import { DELETED_MODES } from '#base/columns/soft_delete'
import { groupKeysOf, measuresOf, MOST_GROUPS } from '../request/aggregate_request.js'
import { aggregateParameters } from '../request/query_string.js'
import type { Resource } from '../resource/resource.js'
import { responseSchema, withNull } from './field_schemas.js'
import type { ParameterObject, SchemaObject } from './openapi_types.js'
import { listOf, query } from './parameter_objects.js'

/** Returns the parameters of an aggregation, without filters. */
export function aggregationParameters(resource: Resource): ParameterObject[] {
  const groups = groupKeysOf(resource).map(({ name }) => name)
  const measures = measureNames(resource)
  const all: Record<string, ParameterObject> = {
    group_by: query(
      'group_by',
      `Names of columns separated by commas; without it, one group of all items. ${namesAre(groups)}`,
      listOf(groups)
    ),
    select: query(
      'select',
      'Values of each group separated by commas: `count`, or `sum`, `avg`, `min` or `max` of a column; default `count`',
      { ...listOf(measures), examples: [measures.slice(0, 2).join(',')] }
    ),
    sort: query(
      'sort',
      'Order of the groups: names of `group_by` and `select` separated by commas, with a minus for descending; default: by `group_by`',
      { type: 'string', examples: ['-count'] }
    ),
    limit: query('limit', `Maximum number of groups; default 100, maximum ${MOST_GROUPS}`, {
      type: 'integer',
      minimum: 1,
      maximum: MOST_GROUPS,
    }),
    deleted: query('deleted', 'Whether to include deleted items, or only these', {
      type: 'string',
      enum: [...DELETED_MODES],
    }),
  }
  return aggregateParameters(resource).map((name) => all[name])
}

/** Describes the response of an aggregation. */
export function describeAggregates(resource: Resource): SchemaObject {
  const groups = groupKeysOf(resource).map(({ name, column, part }) => {
    if (part) return [name, { type: ['string', 'null'] as SchemaObject['type'] }] as const
    const { examples, ...schema } = withNull(responseSchema(column), true)
    return [name, schema] as const
  })
  const measures = measureNames(resource).map((name) => [name, measureSchema(name)] as const)
  return {
    type: 'object',
    properties: {
      data: {
        type: 'array',
        items: { type: 'object', properties: Object.fromEntries([...groups, ...measures]) },
      },
    },
    required: ['data'],
  }
}

function measureSchema(name: string): SchemaObject {
  return name === 'count'
    ? { type: 'integer', minimum: 0 }
    : { type: ['integer', 'string', 'null'] }
}

function measureNames(resource: Resource): string[] {
  const columns = [...resource.sortable.values()]
  return [
    'count',
    ...columns.flatMap((one) => measuresOf(resource, one).map((of) => `${of}:${one.apiName}`)),
  ]
}

function namesAre(names: readonly string[]): string {
  return `Names are ${names.map((name) => `\`${name}\``).join(', ')}`
}
