import { STATUS_CODES } from 'node:http'
import { inputForm } from './column_schema.js'
import { jsonBody, refusals, schemaRef, type Described, type Parts } from './operation_objects.js'
import { parameterNames } from './paths.js'
import type { ParameterObject, SchemaObject } from './openapi_types.js'
import { fromVine } from './vine_schema.js'

/** Describes a custom route: its own description, and the parts that all routes share. [A27, P11] */
export function describeCustom(of: Described): Parts {
  const { route, responses } = of
  const { summary, description, query = {}, body, answer, status } = route.openapi ?? {}
  const isDescribed = answer !== undefined
  const given = status ?? (answer === null ? 204 : 200)
  return {
    summary: summary ?? `${route.method} ${route.path.slice(of.endpoints.path.length)}`,
    ...(description && { description }),
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
        ? responses.answer(STATUS_CODES[given] ?? 'Done', answerOf(of))
        : responses.anything(),
      ...responses.problems([400, ...refusals(of)]),
      default: isDescribed ? responses.anyProblem() : responses.anything(),
    },
  }
}

/** A parameter with the name of a part of the key has that part's schema. */
function pathParameter({ endpoints }: Described, name: string): ParameterObject {
  const { key } = endpoints.resource
  const column = key.columns[key.params.indexOf(name)]
  const schema: SchemaObject = column ? inputForm(column) : { type: 'string' }
  return { name, in: 'path', required: true, schema }
}

function answerOf({ route, names }: Described): SchemaObject | undefined {
  const { answer } = route.openapi ?? {}
  if (!answer) return undefined
  if (answer === 'item') return schemaRef(names.item)
  if (answer === 'list') return schemaRef(`${names.item}List`)
  return schemaOf(answer)
}

/** VineJS's schemas and validators describe themselves. */
function schemaOf(schema: object): SchemaObject {
  const { toJSONSchema } = schema as { toJSONSchema?: () => object }
  return toJSONSchema ? fromVine(toJSONSchema.call(schema)) : (schema as SchemaObject)
}
