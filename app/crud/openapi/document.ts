import type { CrudConfig } from '../define_config.js'
import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { EndpointRoute } from '../endpoints/endpoint_route.js'
import { describeCustom } from './custom_operation.js'
import { nameEndpoints, operationId, UniqueNames } from './names.js'
import { DESCRIPTIONS } from './operation_objects.js'
import { headerParameters, sharedParameters } from './parameter_objects.js'
import { Paths } from './paths.js'
import { PROBLEM, Responses } from './responses.js'
import { Schemas } from './schemas.js'
import type { OpenApiDocument } from './openapi_types.js'

const DESCRIPTION = `\
Names in bodies and parameters are those of the schemas; what is not known is ignored. Datetimes are UTC.
Integers beyond 2^53 are strings of digits. Whatever goes wrong is answered with \`application/problem+json\` (RFC 9457). Bodies may also be sent as
\`application/x-www-form-urlencoded\`, and HEAD works wherever GET does.`

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API token' },
}

/**
 * Builds the API schema (OpenAPI 3.1) of the endpoints of all models. The same endpoints give the same
 * document, byte by byte. [Q1]
 *
 * @param all  with loaded resources
 * @throws RuntimeError  when a resource is not loaded
 */
export function buildDocument(
  all: readonly EndpointCreator[],
  config: CrudConfig,
  { title, version }: { title: string; version: string }
): OpenApiDocument {
  const ordered = all.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const schemaNames = new UniqueNames(['Problem'])
  const names = nameEndpoints(ordered, schemaNames)
  const schemas = new Schemas(names, schemaNames)
  const responses = new Responses(config.rateLimit !== null)
  const ids = new UniqueNames()
  const paths = new Paths()

  for (const endpoints of ordered) {
    const own = names.get(endpoints)!
    schemas.add(endpoints)
    for (const route of endpoints.routes) {
      const described = { endpoints, route, names: own, responses }
      const parts = route.isCustom
        ? describeCustom(described)
        : DESCRIPTIONS[route.operations ? 'batch' : route.operation](described)
      paths.add(route, {
        operationId: ids.take(operationId(route, endpoints, own)),
        tags: [...endpoints.resource.tags],
        security: securityOf(endpoints, route),
        ...parts,
      })
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

/** Public, or a token with the ability for the operation; for a batch, for any of what it offers. [P10] */
function securityOf(endpoints: EndpointCreator, { operation, operations }: EndpointRoute) {
  const all = operations ?? [operation]
  const bound = all.filter((one) => endpoints.accessOf(one) !== 'public')
  const tokens = bound.map((one) => ({ bearer: [`${endpoints.resource.name}:${one}`] }))
  return bound.length > 0 && bound.length < all.length ? [{}, ...tokens] : tokens
}
