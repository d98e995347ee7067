import type { CrudConfig } from '../define_config.js'
import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { EndpointRoute } from '../endpoints/endpoint_route.js'
import { RuntimeError } from '#base/errors'
import type { Resource } from '../resource/resource.js'
import { describeCustom } from './custom_operation.js'
import { nameEndpoints, operationId, UniqueNames } from './names.js'
import { DESCRIPTIONS, type Described, type Parts } from './operation_objects.js'
import { headerParameters, sharedParameters } from './parameter_objects.js'
import { Paths } from './paths.js'
import { PROBLEM, Responses } from './responses.js'
import { Schemas } from './schemas.js'
import type { OpenApiDocument } from './openapi_types.js'

const DESCRIPTION = `\
Names in bodies and parameters are those of the schemas; what is not known is ignored. Datetimes are UTC.
Integers beyond 2^53 are strings of digits. Errors are \`application/problem+json\` (RFC 9457). Bodies may also be sent as
\`application/x-www-form-urlencoded\`, and HEAD works wherever GET does.`

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token' },
}

/**
 * Builds the API schema (OpenAPI 3.1) of the endpoints of all models. The same endpoints give the same
 * document, byte by byte. [Q1]
 *
 * @param all     with loaded resources
 * @param failed  called for a model whose endpoints cannot be described, and are left out; default: throws
 */
export function buildDocument(
  all: readonly EndpointCreator[],
  config: CrudConfig,
  { title, version }: { title: string; version: string },
  failed: (resource: Resource, error: unknown) => void = rethrow
): OpenApiDocument {
  const ordered = all.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const schemaNames = new UniqueNames(['Problem'])
  const names = nameEndpoints(ordered, schemaNames)
  const schemas = new Schemas(names, schemaNames, failed)
  const responses = new Responses(config.rateLimit !== null)
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
          security: securityOf(endpoints, route),
          ...parts,
        })
      }
    } catch (error) {
      failed(endpoints.resource, error)
    }
  }

  /* A model may only be there to be included. */
  const served = ordered.filter(({ routes }) => routes.length > 0)
  return {
    openapi: '3.1.1',
    info: { title, version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...new Set(served.flatMap(({ resource }) => resource.tags))].map((name) => ({ name })),
    paths: paths.all,
    components: {
      schemas: { Problem: PROBLEM, ...schemas.all },
      parameters: { ...sharedParameters(config.pagination), ...headerParameters() },
      headers: responses.headers(),
      responses: responses.components(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** @throws TypeError  for a description that is not JSON */
function describeRoute(described: Described): Parts {
  const { isCustom, operation, operations } = described.route
  const parts = isCustom
    ? describeCustom(described)
    : DESCRIPTIONS[operations ? 'batch' : operation](described)
  JSON.stringify(parts)
  return parts
}

function rethrow({ name }: Resource, error: unknown): never {
  throw new RuntimeError(`${name} cannot be described in the API schema`, { cause: error })
}

/** Public, or a token with the ability for the operation; for a batch, for any of what it offers. [P10] */
function securityOf(endpoints: EndpointCreator, { operation, operations }: EndpointRoute) {
  const all = operations ?? [operation]
  const bound = all.filter((one) => endpoints.accessOf(one) !== 'public')
  const tokens = bound.map((one) => ({ bearer: [`${endpoints.resource.name}:${one}`] }))
  return bound.length > 0 && bound.length < all.length ? [{}, ...tokens] : tokens
}
