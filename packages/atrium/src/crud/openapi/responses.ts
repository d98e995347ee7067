import { STATUS_CODES } from 'node:http'
import { LIST_FORMATS } from '../http/list_format.js'
import type { HeaderObject, Reference, ResponseObject, SchemaObject } from './openapi_types.js'

const ref = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

/** Statuses of problems, and their meaning in this API. */
const PROBLEMS = {
  400: 'Malformed JSON or URL, or parameters that cannot be combined',
  401: 'The request has no valid token',
  403: 'The caller is not allowed to do this',
  404: 'The item does not exist',
  406: '`Accept` excludes every type that the response can have',
  409: 'Conflict with stored data: a unique value exists already, a reference is broken, or the same request is in progress',
  412: 'The item has changed since then, or more items match than expected',
  413: 'The body, or the requested response, is too large',
  415: 'The body is not JSON and not a form',
  422: 'Invalid values; `errors` names every field or parameter',
  428: 'The number of items that may be written is missing',
  429: 'Too many requests',
  500: 'An error of the server; it was logged',
  501: '`Idempotency-Key` is not supported here',
  503: 'The database is busy, or too many large responses are being sent',
} as const

export type ProblemStatus = keyof typeof PROBLEMS

/* Headers that are sent in addition to those of every response. */
const HEADERS_OF_PROBLEMS: Partial<Record<ProblemStatus, string[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const text = (description: string, more: SchemaObject = {}): HeaderObject => ({
  description,
  schema: { type: 'string', ...more },
})

/** Returns a header that is sent with every response that lists it. */
const always = (header: HeaderObject): HeaderObject => ({ ...header, required: true })

/** Headers by name. */
export const HEADERS: Record<string, HeaderObject> = {
  'X-Request-Id': always(text('The id of the request, as in the log')),
  'Location': always(text('URL of the item', { format: 'uri-reference' })),
  'ETag': text('The version of the response, for `If-None-Match` and `If-Match`'),
  'X-Has-More': text('For CSV and NDJSON: whether more match than the response contains', {
    enum: ['true', 'false'],
  }),
  'Deprecation': text('Since when the endpoint is deprecated (RFC 9745)', {
    examples: ['@1767225600'],
  }),
  'Sunset': text('When the endpoint will be removed (RFC 8594)'),
  'X-Total-Count': {
    description: 'Number of all that match, if they were counted',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Total-Is-Estimate': text('Set with `X-Total-Count` if that is an estimate', {
    enum: ['true'],
  }),
  'Preference-Applied': text('The preference of `Prefer` that was applied', {
    examples: ['return=representation', 'return=minimal', 'max-affected=3'],
  }),
  'Idempotency-Replayed': text('Set if the first response for this key is repeated', {
    enum: ['true'],
  }),
  'WWW-Authenticate': always(text('How to authenticate')),
  'Retry-After': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer', minimum: 0 },
  },
  'RateLimit-Policy': always(
    text('Number of requests allowed in a number of seconds', {
      examples: ['"default";q=100;w=60'],
    })
  ),
  'RateLimit': always(
    text('Remaining requests, and seconds until more are allowed', {
      examples: ['"default";r=99;t=60'],
    })
  ),
}

export const PROBLEM: SchemaObject = {
  type: 'object',
  description: 'What went wrong (RFC 9457)',
  properties: {
    type: { type: 'string', format: 'uri-reference', examples: ['about:blank'] },
    title: { type: 'string', description: "The status's own words" },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'One sentence for the caller' },
    deleted: {
      type: 'object',
      description: 'Key of the deleted item that has the same unique value',
      additionalProperties: true,
    },
    errors: {
      type: 'array',
      description: 'What is wrong with which field or parameter',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'Its name; of a list with the index: `tags.0`' },
          rule: { type: 'string' },
          message: { type: 'string' },
          operation: {
            type: 'string',
            enum: ['create', 'update', 'upsert', 'delete'],
            description: 'Of a batch: the kind of the operation',
          },
          index: {
            type: 'integer',
            minimum: 0,
            description: 'Of a batch: its position in the list of the operation, from 0',
          },
        },
        required: ['field', 'rule', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail'],
}

/** Builds the response objects, depending on the configuration. */
export class Responses {
  readonly #everywhere: string[]

  /**
   * @param isLimited      true if there is a rate limit: every response then has its headers
   * @param hasDeprecated  true if there are deprecated endpoints, which send their headers with every response
   */
  constructor(
    private readonly isLimited: boolean,
    hasDeprecated = false
  ) {
    this.#everywhere = [
      'X-Request-Id',
      ...(isLimited ? ['RateLimit-Policy', 'RateLimit'] : []),
      ...(hasDeprecated ? ['Deprecation', 'Sunset'] : []),
    ]
  }

  /** Returns a JSON response; without a schema it has no body. */
  response(description: string, schema?: SchemaObject, headers: string[] = []): ResponseObject {
    return {
      description,
      headers: this.#headers(headers),
      ...(schema && { content: { 'application/json': { schema } } }),
    }
  }

  /**
   * Returns a list, as JSON or in the other formats of the `Accept` header. Other formats have no schema: their
   * bodies are not JSON, and generated clients would merge their types with the type of the list.
   *
   * @param hasFormats  false for JSON only
   */
  list(list: SchemaObject, hasFormats: boolean): ResponseObject {
    const names = [
      'ETag',
      'X-Total-Count',
      'X-Total-Is-Estimate',
      ...(hasFormats ? ['X-Has-More'] : []),
    ]
    const response = this.response('The list', list, names)
    if (!hasFormats) return response
    return {
      ...response,
      description:
        'The list. By `Accept: text/csv`, or `application/x-ndjson` with an item a line, all that match or the first `limit`, without `ETag`',
      content: { ...response.content, [LIST_FORMATS.csv]: {}, [LIST_FORMATS.ndjson]: {} },
    }
  }

  /** Returns references to the possible problems. */
  problems(statuses: ProblemStatus[]): Record<string, Reference> {
    const all: ProblemStatus[] = [
      ...statuses,
      406,
      ...(this.isLimited ? [429 as const] : []),
      500,
      503,
    ]
    return Object.fromEntries(
      [...new Set(all)].sort().map((status) => [status, ref('responses', nameOf(status))])
    )
  }

  /** Returns the responses that `problems` refers to. */
  components(): Record<string, ResponseObject> {
    const statuses = Object.keys(PROBLEMS).map(Number) as ProblemStatus[]
    return Object.fromEntries(
      statuses.map((status) => [
        nameOf(status),
        this.#problem(PROBLEMS[status], HEADERS_OF_PROBLEMS[status], {
          type: 'about:blank',
          title: STATUS_CODES[status],
          status,
          detail: PROBLEMS[status],
        }),
      ])
    )
  }

  /** Returns a problem of application code, with any status. */
  anyProblem(): ResponseObject {
    return this.#problem('An error')
  }

  /** Returns the response of application code without a description. */
  anything(): ResponseObject {
    const { content, ...response } = this.anyProblem()
    return {
      ...response,
      description: 'The response of the route',
      content: { '*/*': { schema: {} }, ...content },
    }
  }

  #problem(description: string, headers: string[] = [], example?: object): ResponseObject {
    const schema = ref('schemas', 'Problem')
    return {
      description,
      headers: this.#headers(headers),
      content: { 'application/problem+json': { schema, ...(example && { example }) } },
    }
  }

  #headers(names: string[]) {
    return Object.fromEntries(
      [...this.#everywhere, ...names].map((name) => [name, ref('headers', name)])
    )
  }
}

/** Returns a name such as `NotFound`. */
function nameOf(status: ProblemStatus): string {
  return STATUS_CODES[status]!.replace(/\W/g, '')
}

/** Returns the schema of the response, `{ "updated": 3 }`. */
export function countSchema(name: 'updated' | 'deleted') {
  return {
    type: 'object' as const,
    properties: { [name]: { type: 'integer' as const, minimum: 0 } },
    required: [name],
  }
}
