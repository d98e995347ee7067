import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { EndpointRoute } from '../endpoints/endpoint_options.js'
import { listParameters, itemParameters } from '../request/query_string.js'
import { includesOf } from '../endpoints/access.js'
import { type EndpointNames, parameterNames } from './names.js'
import { aggregationParameters, describeAggregates } from './aggregates.js'
import {
  bulkParameters,
  relatedParameters,
  filterParameter,
  jsonServerParameters,
  keyParameters,
  ownParameters,
} from './parameter_objects.js'
import { countSchema, type ProblemStatus, type Responses } from './responses.js'
import type {
  ParameterObject,
  Reference,
  RequestBody,
  ResponseObject,
  SchemaObject,
} from './openapi_types.js'
import { STATUS_CODES } from 'node:http'
import { MOST_CONDITIONS, MOST_GROUPS } from '#base/columns/filter'
import { fromVine, inputForm } from './field_schemas.js'

/** Input for the description of an operation. */
export interface Described {
  endpoints: EndpointCreator
  route: EndpointRoute
  names: EndpointNames
  responses: Responses
}

/** Description of an operation, without its access and its id. */
export interface Parts {
  summary: string
  description?: string
  parameters?: Array<ParameterObject | Reference>
  requestBody?: RequestBody
  responses: Record<string, ResponseObject | Reference>
}

const header = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

/*
 * Names with prefixes cannot be parameters of the document, because they contain a number, so this text describes them.
 */
const GROUPS =
  'A filter with the prefix `not.` negates its condition, as in `not.price__gte=10`; null matches neither of them. ' +
  'With `any.1.`, it is one of the alternatives of group 1, as in `any.1.price__gte=10&any.1.not.name=a`; groups and ' +
  `single filters all apply. At most ${MOST_GROUPS} groups and ${MOST_CONDITIONS} conditions`

const JSON_SERVER_LIST =
  'An array, in the dialect of json-server; with `cursor` an object. `NAME_gte`, `NAME_lte`, `NAME_gt`, `NAME_lt`, `NAME_ne` and `NAME_like` stand for the filters `NAME__gte` to `NAME__contains`'

/** Functions that describe the operations, without their access. */
export const DESCRIPTIONS: Record<string, (of: Described) => Parts> = {
  create({ names, responses, ...of }) {
    const isRead = of.endpoints.operations.includes('read')
    return {
      summary: `Create ${withArticle(names.one)}`,
      description:
        'Stores the body as a new item. A repeated request with the same `Idempotency-Key` stores nothing.',
      parameters: [header('Idempotency-Key')],
      requestBody: itemBody(schemaRef(`${names.item}Create`)),
      responses: {
        201: responses.response(
          of.endpoints.resource.policy
            ? 'Created; null for a caller who cannot read it'
            : 'Created',
          of.endpoints.resource.policy
            ? { anyOf: [schemaRef(names.item), { type: 'null' }] }
            : schemaRef(names.item),
          [...(isRead ? ['Location', 'ETag'] : []), 'Idempotency-Replayed']
        ),
        ...responses.problems([400, ...refusals(of), 409, 413, 415, 422, 501]),
      },
    }
  },

  read({ names, responses, ...of }) {
    const { resource } = of.endpoints
    return {
      summary: `Read ${withArticle(names.one)}`,
      description: 'Returns the item by its key.',
      parameters: [
        ...keyParameters(resource),
        ...ownParameters(resource, itemParameters(resource)),
        header('If-None-Match'),
        header('If-Match'),
      ],
      responses: {
        200: responses.response('The item', itemOrPart(names), ['ETag']),
        304: responses.response('Not changed', undefined, ['ETag']),
        ...responses.problems([400, ...refusals(of), 404, 412, 413, 422]),
      },
    }
  },

  read_multi({ names, responses, ...of }) {
    const { resource, isJsonServer } = of.endpoints
    const isPaged = of.route.name === 'read_paginated'
    const list = schemaRef(`${names.item}List`)
    const isBare = isJsonServer && !isPaged
    return {
      summary: `List ${names.many}`,
      ...listDescription(of),
      parameters: [
        ...ownParameters(resource, listParameters(resource)),
        ...resource.filters.all.map(filterParameter),
        ...relatedParameters(resource),
        ...(isBare ? jsonServerParameters(resource) : []),
        header('If-None-Match'),
      ],
      responses: {
        200: responses.list(
          isBare ? { anyOf: [{ type: 'array', items: itemOrPart(names) }, list] } : list,
          !isPaged
        ),
        304: responses.response('Not changed', undefined, [
          'ETag',
          'X-Total-Count',
          'X-Total-Is-Estimate',
        ]),
        ...responses.problems([400, ...refusals(of), 413, 422]),
      },
    }
  },

  aggregate({ names, responses, ...of }) {
    const { resource } = of.endpoints
    return {
      summary: `Aggregate ${names.many}`,
      description:
        'Counts, sums, averages, minimums and maximums of all that match the filters, in groups. Null is a group. Integers are numbers, or strings of digits beyond 2^53; decimals and averages are strings.',
      parameters: [
        ...aggregationParameters(resource),
        ...resource.filters.all.map(filterParameter),
        ...relatedParameters(resource),
      ],
      responses: {
        200: responses.response('The groups', describeAggregates(resource)),
        ...responses.problems([400, ...refusals(of), 422]),
      },
    }
  },

  update_many({ names, responses, ...of }) {
    return {
      summary: `Update all ${names.many} that match`,
      description:
        'Changes the fields of the body, of all that match the filters or of none. At least one filter is required.',
      parameters: bulkParameters(of.endpoints.resource),
      requestBody: itemBody(schemaRef(`${names.item}Update`), 'PATCH'),
      responses: {
        200: responses.response('Updated', countSchema('updated'), ['Preference-Applied']),
        ...responses.problems([400, ...refusals(of), 409, 412, 413, 415, 422, 428]),
      },
    }
  },

  delete_many({ names, responses, ...of }) {
    return {
      summary: `Delete all ${names.many} that match`,
      description: 'Deletes all that match the filters, or none. At least one filter is required.',
      parameters: bulkParameters(of.endpoints.resource),
      responses: {
        200: responses.response('Deleted', countSchema('deleted'), ['Preference-Applied']),
        ...responses.problems([400, ...refusals(of), 409, 412, 422, 428]),
      },
    }
  },

  update({ names, responses, ...of }) {
    const tag = of.endpoints.operations.includes('read') ? ['ETag'] : []
    return {
      summary: `Update ${withArticle(names.one)}`,
      description: 'Changes the fields of the body.',
      parameters: [
        ...keyParameters(of.endpoints.resource),
        header('Prefer'),
        ...precondition(of).parameters,
      ],
      requestBody: itemBody(schemaRef(`${names.item}Update`), of.route.method),
      responses: {
        200: responses.response(
          of.endpoints.isJsonServer
            ? 'Updated: the item; null for a caller who cannot read it'
            : 'Updated: null, or the item with `Prefer: return=representation`',
          { anyOf: [{ type: 'null' }, schemaRef(names.item)] },
          [...tag, 'Preference-Applied']
        ),
        204: responses.response('Updated, with `Prefer: return=minimal`', undefined, [
          ...tag,
          'Preference-Applied',
        ]),
        ...responses.problems([
          400,
          ...refusals(of),
          ...precondition(of).problems,
          404,
          409,
          413,
          415,
          422,
        ]),
      },
    }
  },

  delete(of) {
    const { softDelete } = of.endpoints.resource
    return {
      summary: `Delete ${withArticle(of.names.one)}`,
      description: softDelete
        ? 'Marks the item as deleted; other operations no longer find it.'
        : 'Removes the item from the database.',
      ...deletion(of),
    }
  },

  db_delete(of) {
    return {
      summary: `Delete ${withArticle(of.names.one)} for good`,
      description: 'Removes the item from the database, marked as deleted or not.',
      ...deletion(of),
    }
  },

  batch,
}

function batch({ names, responses, ...of }: Described): Parts {
  return {
    summary: `Create, update and delete ${names.many}`,
    description:
      'All or nothing, in one transaction. `errors` of a problem have `operation` and `index`. A token needs the ability for each kind of operation that is sent.',
    parameters: [header('Idempotency-Key'), header('Prefer')],
    requestBody: jsonBody(schemaRef(`${names.item}Batch`)),
    responses: {
      200: responses.response('Done', schemaRef(`${names.item}BatchResponse`), [
        'Idempotency-Replayed',
        'Preference-Applied',
      ]),
      204: responses.response('Done, with `Prefer: return=minimal`', undefined, [
        'Idempotency-Replayed',
        'Preference-Applied',
      ]),
      ...responses.problems([400, ...refusals(of), 409, 413, 415, 422, 501]),
    },
  }
}

function listDescription({ endpoints, route }: Pick<Described, 'endpoints' | 'route'>) {
  const description = [
    route.name === 'read_paginated'
      ? 'By page, also without a parameter'
      : 'Returns the items that match, in the order of `sort` and of the key',
    ...(endpoints.isJsonServer && route.name !== 'read_paginated' ? [JSON_SERVER_LIST] : []),
    ...(endpoints.resource.filters.all.length > 0 ? [GROUPS] : []),
  ].join('. ')
  return { description: `${description}.` }
}

function deletion({ responses, ...of }: Described) {
  return {
    parameters: [...keyParameters(of.endpoints.resource), ...precondition(of).parameters],
    responses: {
      200: responses.response('Deleted', deletedBody(of)),
      ...responses.problems([400, ...refusals(of), ...precondition(of).problems, 404, 409, 422]),
    },
  }
}

/** Returns null, or an object with the key for clients of json-server. */
function deletedBody({ endpoints: { isJsonServer, resource } }: Pick<Described, 'endpoints'>) {
  if (!isJsonServer) return { type: 'null' }
  const { columns } = resource.key
  return {
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column.apiName, inputForm(column)])),
  }
}

/** Returns the precondition headers of a write, which only callers who can read the item can use. */
function precondition({ endpoints }: Pick<Described, 'endpoints'>): {
  parameters: Reference[]
  problems: ProblemStatus[]
} {
  if (!endpoints.operations.includes('read')) return { parameters: [], problems: [] }
  const isOpen = endpoints.accessOf('read') === 'public' && !endpoints.resource.policy
  return { parameters: [header('If-Match')], problems: isOpen ? [412] : [403, 412] }
}

/**
 * Returns the statuses of refusals: a missing or insufficient token, the model's policy, or a page of another site. A
 * write could also move an item out of its writer's scope. An include requires access to the related endpoints.
 */
function refusals({ endpoints, route }: Pick<Described, 'endpoints' | 'route'>): ProblemStatus[] {
  const { policy, scope } = endpoints.resource
  const isRead = ['read', 'read_multi'].includes(route.operation)
  const mayInclude = isRead && !route.isCustom && includesOf(endpoints.resource).size > 0
  const needsToken = (route.operations ?? [route.operation]).some(
    (one) => endpoints.accessOf(one) === 'token'
  )
  if (needsToken || mayInclude) return [401, 403]
  const refusesOtherSites = route.method !== 'GET' || route.name === 'read_multi'
  return policy || scope || refusesOtherSites ? [403] : []
}

function jsonBody(schema: SchemaObject): RequestBody {
  return { required: true, content: { 'application/json': { schema } } }
}

/** Returns the body of a create or an update: JSON or a form; PATCH accepts a merge patch, too. */
function itemBody(schema: SchemaObject, method?: string): RequestBody {
  const types = [
    'application/json',
    ...(method === 'PATCH' ? ['application/merge-patch+json'] : []),
    'application/x-www-form-urlencoded',
  ]
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** Returns the schema of an item that has only some of its properties if `fields` names them. */
export function itemOrPart({ item }: Pick<EndpointNames, 'item'>): SchemaObject {
  return { anyOf: [schemaRef(item), schemaRef(`${item}Part`)] }
}

export function schemaRef(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

/** Describes a custom route: its given description, and the parts that all routes share. */
export function describeCustom(of: Described): Parts {
  const { route, responses } = of
  const { summary, description, query = {}, body, response, status } = route.openapi ?? {}
  const isDescribed = response !== undefined
  const given = status ?? (response === null ? 204 : 200)
  return {
    summary: summary ?? `${route.method} ${route.path.slice(of.endpoints.path.length)}`,
    description: description ?? 'A route of the application.',
    parameters: [
      ...parameterNames(route.path).map((name) => pathParameter(of, name)),
      ...Object.entries(query).map(([name, schema]): ParameterObject => ({
        name,
        in: 'query',
        schema,
      })),
    ],
    ...(body && { requestBody: jsonBody(schemaOf(body)) }),
    responses: {
      [given]: isDescribed
        ? responses.response(STATUS_CODES[given] ?? 'Done', responseOf(of))
        : responses.anything(),
      ...responses.problems([400, ...refusals(of)]),
      default: isDescribed ? responses.anyProblem() : responses.anything(),
    },
  }
}

/** Returns a path parameter. If it has the name of a part of the key, it has that part's schema. */
function pathParameter({ endpoints }: Described, name: string): ParameterObject {
  const part = keyParameters(endpoints.resource).find((one) => one.name === name)
  const description = 'A part of the path'
  return part ?? { name, in: 'path', required: true, description, schema: { type: 'string' } }
}

function responseOf({ route, names }: Described): SchemaObject | undefined {
  const { response } = route.openapi ?? {}
  if (!response) return undefined
  if (response === 'item') return schemaRef(names.item)
  if (response === 'list') return schemaRef(`${names.item}List`)
  return schemaOf(response)
}

/** Returns the JSON Schema of a VineJS schema or validator, which describe themselves, or the given schema. */
function schemaOf(schema: object): SchemaObject {
  const { toJSONSchema } = schema as { toJSONSchema?: () => object }
  return toJSONSchema ? fromVine(toJSONSchema.call(schema)) : (schema as SchemaObject)
}
