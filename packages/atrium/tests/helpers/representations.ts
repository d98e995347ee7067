/* Every operation of the API schema, in each representation that it declares and in those that it refuses. */
import fc from 'fast-check'
import type { ParameterObject } from '#crud/openapi/openapi_types'
import { call, type HttpResponse } from '#tests/helpers/http'
import type { ApiSchema, Operation } from '#tests/helpers/openapi'

interface Try {
  title: string
  method?: string
  path?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string
  /** True if the schema declares the request, so that it is not refused for its form */
  isValid?: boolean
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const ORDER = ['post', 'get', 'put', 'patch', 'delete']
const REFUSED_FOR_FORM = [400, 406, 415, 422, 428]

/** Bodies by the path of a POST, made with a number for unique values */
export type Bodies = Record<string, (number: number) => object>

/** Requests to every operation, each compared with the schema. */
export class Representations {
  readonly violations: string[] = []
  readonly statuses = new Set<number>()
  requests = 0
  #number = 0

  /**
   * @param authorization  headers of a caller who is allowed to do everything
   */
  constructor(
    private readonly schema: ApiSchema,
    private readonly bodies: Bodies,
    private readonly authorization: Record<string, string>
  ) {}

  async checkAll(operations: readonly Operation[]): Promise<void> {
    const ordered = operations.toSorted(
      (one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method)
    )
    for (const operation of ordered) {
      const item = operation.method === 'delete' ? undefined : await this.#pathOf(operation)
      for (const one of this.#tries(operation)) {
        await this.#check(operation, item ?? (await this.#pathOf(operation)), one)
      }
    }
  }

  async #check(operation: Operation, path: string, one: Try) {
    const reply = await this.#send(operation, path, one)
    this.statuses.add(reply.status)
    const violation =
      one.method === 'OPTIONS'
        ? optionsViolation(operation, reply)
        : (this.schema.violationOf(operation, reply, one.method === 'HEAD') ??
          this.#requestViolation(operation, one, reply))
    if (violation) {
      const { status, text } = reply
      this.violations.push(
        `${operation.operationId}, ${one.title}: ${violation}: ${status} ${text.slice(0, 200)}`
      )
    }
  }

  #send(operation: Operation, path: string, one: Try): Promise<HttpResponse> {
    this.requests++
    const query = one.query ? `?${new URLSearchParams(one.query)}` : ''
    return call(one.method ?? operation.method.toUpperCase(), (one.path ?? path) + query, {
      headers: { ...this.authorization, ...one.headers },
      body: one.body,
    })
  }

  /** Compares what was accepted and refused with the declaration of the request. */
  #requestViolation({ requestBody }: Operation, one: Try, { status }: HttpResponse) {
    if (status >= 500) return 'the server fails'
    if (one.isValid && REFUSED_FOR_FORM.includes(status)) return 'a declared request is refused'
    const [type] = (one.headers?.['content-type'] ?? '').split(';')
    const isDeclared = Object.keys(requestBody?.content ?? {}).includes(type)
    if (status < 300 && type !== '' && requestBody && !isDeclared) return `${type} is not declared`
    return undefined
  }

  /** Returns the path of an operation; that of a new item if it has a key. */
  async #pathOf({ path }: Operation): Promise<string> {
    if (!path.includes('{')) return path
    const [collection] = path.split('{')
    const place = collection.replace(/(?:\/db_delete)?\/$/, '')
    const { headers, text } = await this.#create(place)
    const keys = headers.get('location')?.slice(place.length + 1)
    if (!keys) throw new Error(`${place}: ${text}`)
    return collection + keys
  }

  #create(path: string): Promise<HttpResponse> {
    const body = JSON.stringify(this.#bodyOf(path))
    const headers = { ...this.authorization, 'content-type': JSON_TYPE }
    return call('POST', path, { headers, body })
  }

  #bodyOf(path: string): object {
    const [place] = path.split('/{')
    return this.bodies[place]?.(++this.#number) ?? {}
  }

  #tries(operation: Operation): Try[] {
    return [
      ...ACCESS_TRIES,
      ...(operation.requestBody ? this.#bodyTries(operation) : [{ title: 'plain', ...plain }]),
      ...this.#typeTries(operation),
      ...this.#parameterTries(operation),
      ...(operation.path.includes('{') ? keyTries(operation) : []),
      { title: 'OPTIONS', method: 'OPTIONS' },
      ...(operation.method === 'get' ? [{ title: 'HEAD', method: 'HEAD' }] : []),
    ].map((one) => this.#complete(operation, one))
  }

  /** Adds what the operation requires, and the try does not have: a body; for bulk writes a filter and `Prefer`. */
  #complete(operation: Operation, one: Try): Try {
    const parameters = this.schema.parameters(operation)
    const needed = parameters.find(({ in: place, required }) => place === 'header' && required)
    const [filter] = parameters.filter(({ in: place }) => place === 'query')
    const given: Try = {
      ...one,
      ...(needed && filter && { query: this.#samplesOf(filter, 1)[0], ...one }),
      headers: {
        ...(needed && { [needed.name]: String(needed.schema.examples![0]) }),
        ...one.headers,
      },
    }
    if (!operation.requestBody || one.body !== undefined || one.method) return given
    const body = JSON.stringify(this.#bodyOf(operation.path))
    return { ...given, body, headers: { 'content-type': JSON_TYPE, ...given.headers } }
  }

  #samplesOf({ name, schema }: ParameterObject, numRuns: number): Array<Record<string, string>> {
    const values = fc.sample(this.schema.arbitrary(schema), { numRuns, seed: 7 })
    const { examples = [], enum: choices = [] } = schema
    return [...values, ...examples, ...choices].map((value) => ({ [name]: String(value) }))
  }

  #bodyTries(operation: Operation): Try[] {
    const body = this.#bodyOf(operation.path)
    const scalars = Object.entries(body).filter(([, value]) => typeof value !== 'object')
    const form = new URLSearchParams(
      Object.fromEntries(scalars.map(([name, value]) => [name, String(value)]))
    )
    const of = (type: string, text: string): Try => ({
      title: `body ${type} ${text.slice(0, 40)}`,
      headers: { 'content-type': type },
      body: text,
    })
    const declared = Object.keys(operation.requestBody!.content)
    const again = of(JSON_TYPE, JSON.stringify(body))
    return [
      again,
      again,
      ...declared
        .filter((type) => type !== FORM_TYPE)
        .map((type) => ({
          ...of(type, JSON.stringify(this.#bodyOf(operation.path))),
          isValid: true,
        })),
      ...(scalars.length > 0 ? [{ ...of(FORM_TYPE, String(form)), isValid: true }] : []),
      of('text/plain', 'x'),
      of('multipart/form-data; boundary=x', '--x--'),
      of(JSON_TYPE, '{'),
      of(JSON_TYPE, '[]'),
      of(
        JSON_TYPE,
        JSON.stringify(Object.fromEntries(Object.keys(body).map((name) => [name, {}])))
      ),
      of(JSON_TYPE, `"${'x'.repeat(1_100_000)}"`),
    ]
  }

  /** Each content type that a response can have, and one that it cannot. */
  #typeTries(operation: Operation): Try[] {
    const success = Object.keys(operation.responses).find((status) => status < '300')!
    const types = Object.keys(this.schema.response(operation, Number(success))!.content ?? {})
    return [...types, 'application/xml'].map((type) => ({
      title: `Accept: ${type}`,
      headers: { accept: type },
      isValid: type !== 'application/xml',
    }))
  }

  #parameterTries(operation: Operation): Try[] {
    return this.schema.parameters(operation).flatMap((one) => {
      if (one.in === 'path') return []
      if (one.in === 'header') return headerTries(one)
      const { enum: choices, items, pattern, type } = one.schema
      const isValid = Boolean(choices ?? pattern) || (type !== 'string' && items === undefined)
      return [
        ...this.#samplesOf(one, 3).map((query) => ({ query, isValid })),
        { query: { [one.name]: ',%,x' } },
        { query: { [one.name]: '' } },
      ].map((each) => ({ ...each, title: JSON.stringify(each.query) }))
    })
  }
}

const plain = { isValid: true }

const ACCESS_TRIES: Try[] = [
  { title: 'no token', headers: { authorization: '' } },
  { title: 'unknown token', headers: { authorization: 'Bearer x' } },
  {
    title: 'page of another site',
    headers: {
      'authorization': '',
      'origin': 'https://other.example',
      'sec-fetch-site': 'cross-site',
    },
  },
]

/** Each value of a header that the schema names, and repeated keys. */
function headerTries({ name, required, schema }: ParameterObject): Try[] {
  const values = (schema.examples as string[] | undefined) ?? ['*', '"a"']
  const again = name === 'Idempotency-Key' ? [...values, ...values] : values
  const bodies = name === 'Idempotency-Key' ? [{ body: '{"other":1}' }] : []
  return [...again, 'x', ...(required ? [''] : [])].flatMap((value) => [
    { title: `${name}: ${value}`, headers: { [name]: value } },
    ...bodies.map((body) => ({
      title: `${name}: ${value} with another body`,
      headers: { [name]: value, 'content-type': JSON_TYPE },
      ...body,
    })),
  ])
}

/** Keys of no item. */
function keyTries({ path }: Operation): Try[] {
  return ['999999', 'x', '%00', '1e400'].map((key) => ({
    title: `key ${key}`,
    path: path.replaceAll(/\{\w+\}/g, key),
  }))
}

function optionsViolation({ method }: Operation, { status, headers }: HttpResponse) {
  const isAllowed = headers.get('allow')?.split(', ').includes(method.toUpperCase())
  return status === 204 && isAllowed ? undefined : 'OPTIONS does not name the method'
}
