import type { ParameterObject } from './openapi_types.js'
import { filterParameter, relatedParameters } from './parameter_objects.js'
import type { Resource } from '../resource/resource.js'

/** Returns the parameters of a write of all items that match: its filters, without defaults, and `Prefer`. */
export function bulkParameters(resource: Resource): ParameterObject[] {
  return [
    ...resource.filters.all.map((filter) => filterParameter({ ...filter, defaultValue: null })),
    ...relatedParameters(resource),
    {
      name: 'Prefer',
      in: 'header',
      required: true,
      description:
        'The number of items that may be written at most: if more match, nothing is written',
      schema: { type: 'string', pattern: '^max-affected=\\d{1,15}$', examples: ['max-affected=3'] },
    },
  ]
}

/** Returns the schema of the response, `{ "updated": 3 }`. */
export function countSchema(name: 'updated' | 'deleted') {
  return {
    type: 'object' as const,
    properties: { [name]: { type: 'integer' as const, minimum: 0 } },
    required: [name],
  }
}
