import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { Resource } from '../resource/resource.js'
import { crudConfig } from '../settings.js'
import { describeBody, describeBatch, describeBatchResponse } from './request_body.js'
import { describeItem, describeList } from './field_schemas.js'
import {
  identifier,
  type EndpointNames,
  UniqueNames,
  nameEndpoints,
  operationId,
  Paths,
} from './names.js'
import {
  itemOrPart,
  schemaRef,
  describeCustom,
  DESCRIPTIONS,
  type Described,
  type Parts,
} from './operation_objects.js'
import type { ApiInfo, OperationObject, SchemaObject, OpenApiDocument } from './openapi_types.js'
import type { CrudConfig } from '../define_config.js'
import type { EndpointRoute } from '../endpoints/endpoint_options.js'
import { basePath } from '#base/http/base_path'
import { listed, RuntimeError } from '#base/errors'
import { headerParameters, sharedParameters } from './parameter_objects.js'
import { HEADERS, PROBLEM, Responses } from './responses.js'

/** The named schemas of the document that are referenced. */
class Schemas {
  readonly all: Record<string, SchemaObject> = {}
  readonly #names: Map<EndpointCreator, EndpointNames>
  readonly #items = new Map<Resource, string>()
  readonly #free: UniqueNames

  /**
   * @param names   names of the endpoints
   * @param free    provides names for schemas of models without endpoints
   * @param failed  called for a model whose items cannot be described; its schema allows any object
   */
  constructor(
    names: Map<EndpointCreator, EndpointNames>,
    free: UniqueNames,
    private readonly failed: (resource: Resource, error: unknown) => void
  ) {
    this.#names = names
    this.#free = free
    for (const [{ resource }, { item }] of names) this.#items.set(resource, item)
  }

  /** Adds the schemas of the endpoints' operations. */
  add(endpoints: EndpointCreator): void {
    const { resource, routes } = endpoints
    const { item } = this.#names.get(endpoints)!
    const responses = new Set(routes.map(({ openapi }) => openapi?.response))
    const has = (...names: string[]) => routes.some(({ name }) => names.includes(name))
    const { strictBody } = crudConfig()
    const hasList = has('read_multi', 'read_paginated') || responses.has('list')

    if (hasList || has('create', 'read', 'update', 'batch') || responses.has('item'))
      this.#refTo(resource)
    if (has('create'))
      this.#set(
        `${item}Create`,
        describeBody(resource.createBody, 'create', strictBody, resource.model)
      )
    if (has('update'))
      this.#set(
        `${item}Update`,
        describeBody(resource.updateBody, 'update', strictBody, resource.model)
      )
    const batch = routes.find(({ operations }) => operations)
    if (batch) {
      this.all[`${item}Batch`] = describeBatch(resource, batch.operations!, strictBody)
      this.all[`${item}BatchResponse`] = describeBatchResponse(resource, schemaRef(item))
    }
    if (hasList)
      this.all[`${item}List`] = describeList(itemOrPart({ item }), resource, endpoints.responseKey)
    if (hasList || has('read')) this.all[`${item}Part`] = partOf(this.all[item])
  }

  /**
   * Returns a reference to the schema of a resource. The name exists before the schema, because two models can include
   * each other.
   */
  #refTo(resource: Resource): SchemaObject {
    let name = this.#items.get(resource)
    if (!name) {
      name = this.#free.take(identifier(resource.name))
      this.#items.set(resource, name)
    }
    if (!this.all[name]) {
      this.all[name] = { type: 'object', additionalProperties: true }
      try {
        this.#set(
          name,
          describeItem(resource, (related) => this.#refTo(related))
        )
      } catch (error) {
        this.failed(resource, error)
      }
    }
    return schemaRef(name)
  }

  /** @throws TypeError  for a schema that is not JSON */
  #set(name: string, schema: SchemaObject): void {
    JSON.stringify(schema)
    this.all[name] = schema
  }
}

/** Describes an item of which `fields` has chosen some properties. */
function partOf({ required, description, ...item }: SchemaObject): SchemaObject {
  return { ...item, description: 'Some of the properties, with `fields`' }
}

const DESCRIPTION = `\
Names in bodies and parameters are those of the schemas; what is not known is ignored. Datetimes are UTC.
Integers beyond 2^53 are strings of digits. Errors are \`application/problem+json\` (RFC 9457). HEAD works wherever GET does.`

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token' },
}

/**
 * Builds the API schema (OpenAPI 3.1) of the endpoints of all models. The same endpoints always result in the same
 * document, byte by byte.
 *
 * @param all     endpoints with loaded resources
 * @param failed  called for a model whose endpoints cannot be described, and are left out; default: throws
 */
export function buildDocument(
  all: readonly EndpointCreator[],
  config: CrudConfig,
  info: ApiInfo,
  failed: (resource: Resource, error: unknown) => void = rethrow
): OpenApiDocument {
  const ordered = all.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const schemaNames = new UniqueNames(['Problem'])
  const names = nameEndpoints(ordered, schemaNames)
  const schemas = new Schemas(names, schemaNames, failed)
  const responses = new Responses(
    config.rateLimit !== null,
    all.some(({ isDeprecated }) => isDeprecated)
  )
  const ids = new UniqueNames()
  const paths = new Paths()

  for (const endpoints of ordered) {
    const own = names.get(endpoints)!
    try {
      const described = endpoints.routes.map((route) => {
        const parts = describeRoute({ endpoints, route, names: own, responses })
        return { route, parts }
      })
      schemas.add(endpoints)
      for (const { route, parts } of described) {
        paths.add(route, {
          operationId: ids.take(operationId(route, endpoints, own)),
          tags: [...endpoints.resource.tags],
          ...accessOf(endpoints, route),
          ...(endpoints.isDeprecated && { deprecated: true }),
          ...parts,
        })
      }
    } catch (error) {
      failed(endpoints.resource, error)
    }
  }

  /* Leaves out endpoints without routes, which a model can have only to be included by others. */
  const served = ordered.filter(({ routes }) => routes.length > 0)
  return {
    openapi: '3.1.1',
    info: { ...info, description: DESCRIPTION },
    servers: [{ url: basePath() || '/' }],
    tags: tagsOf(served, names),
    paths: paths.all,
    components: {
      ...usedComponents(paths.all, {
        schemas: { Problem: PROBLEM, ...schemas.all },
        parameters: { ...sharedParameters(config.pagination), ...headerParameters() },
        headers: HEADERS,
        responses: responses.components(),
      }),
      securitySchemes: usesTokens(paths.all) ? SECURITY_SCHEMES : {},
    },
  }
}

const REFERENCE = /"#\/components\/(\w+)\/([^"]+)"/g

/** Returns the components that the paths refer to, directly or through others. */
function usedComponents<Components extends object>(paths: object, components: Components) {
  const all = components as Record<string, Record<string, object>>
  const used = new Set<object>()
  const addFrom = (part: object) => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(REFERENCE)) {
      const component = all[kind][name]
      if (used.has(component)) continue
      used.add(component)
      addFrom(component)
    }
  }
  addFrom(paths)
  const usedOf = (parts: Record<string, object>) =>
    Object.fromEntries(Object.entries(parts).filter(([, part]) => used.has(part)))
  return Object.fromEntries(
    Object.entries(all).map(([kind, parts]) => [kind, usedOf(parts)])
  ) as Components
}

/** @throws TypeError  for a description that is not JSON */
function describeRoute(described: Described): Parts {
  const { isCustom, name, operation, operations } = described.route
  const parts = isCustom
    ? describeCustom(described)
    : DESCRIPTIONS[operations ? 'batch' : name in DESCRIPTIONS ? name : operation](described)
  JSON.stringify(parts)
  return parts
}

function rethrow({ name }: Resource, error: unknown): never {
  throw new RuntimeError(`${name} cannot be described in the API schema`, { cause: error })
}

/**
 * Returns the access: public, or a token with the ability for the operation; for a batch, with the ability for any of
 * its operations. The abilities are an extension, because linters accept names in `security` for OAuth 2 only.
 */
function accessOf(
  endpoints: EndpointCreator,
  { operation, operations }: EndpointRoute
): Pick<OperationObject, 'security' | 'x-abilities'> {
  const all = operations ?? [operation]
  const bound = all.filter((one) => endpoints.accessOf(one) !== 'public')
  if (bound.length === 0) return { security: [] }
  return {
    'security': bound.length < all.length ? [{}, { bearer: [] }] : [{ bearer: [] }],
    'x-abilities': bound.map((one) => `${endpoints.resource.name}:${one}`),
  }
}

/** Returns the tags of the models, each with the names of its records. */
function tagsOf(served: readonly EndpointCreator[], names: Map<EndpointCreator, EndpointNames>) {
  const tags = new Map<string, Set<string>>()
  for (const endpoints of served) {
    const { many } = names.get(endpoints)!
    for (const tag of endpoints.resource.tags) {
      tags.set(tag, (tags.get(tag) ?? new Set()).add(many))
    }
  }
  return [...tags].map(([name, records]) => ({
    name,
    description: `Work with ${listed([...records])}`,
  }))
}

/** True if an operation accepts a token. */
function usesTokens(paths: OpenApiDocument['paths']): boolean {
  return Object.values(paths).some((path) =>
    Object.values(path).some(({ security }) => security.length > 0)
  )
}
