/* The API schema for clients: validators of its schemas, and generators of matching values. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from '#crud/openapi/openapi_types'
import { get, type HttpResponse } from '#tests/helpers/http'

export interface Operation extends OperationObject {
  method: string
  path: string
}

/** Headers of HTTP itself, of the server and of code of the fixtures, which no operation has to declare */
const OF_HTTP =
  /^(?:access-control-.*|allow|cache-control|connection|content-.*|cross-origin-.*|date|keep-alive|referrer-policy|strict-transport-security|transfer-encoding|vary|x-content-type-options|x-deleted-by|x-frame-options|x-passed)$/

/** A document in two forms: items in `allOf` are open, all others have only the declared properties. */
const OPEN = 'open'
const CLOSED = 'closed'

/** A document with compiled validators. */
export class ApiSchema {
  readonly #ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(readonly document: OpenApiDocument) {
    ;(addFormats as unknown as { default: typeof addFormats.default }).default(this.#ajv)
    this.#ajv.addFormat('password', true)
    this.#ajv.addKeyword('x-enum-descriptions')
    for (const form of [OPEN, CLOSED]) {
      const $defs = Object.fromEntries(
        Object.entries(document.components.schemas).map(([name, one]) => [
          name,
          validated(one, form),
        ])
      )
      this.#ajv.addSchema({ $id: form, $defs })
    }
  }

  /** Reads the application's document. */
  static async read(): Promise<ApiSchema> {
    const { body } = await get('/api/openapi.json')
    return new ApiSchema(body)
  }

  get operations(): Operation[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, method, path }))
    )
  }

  operation(id: string): Operation {
    return this.operations.find(({ operationId }) => operationId === id)!
  }

  resolve<Kind>(value: Kind | { $ref: string }): Kind {
    const ref = (value as { $ref?: string }).$ref
    if (!ref) return value as Kind
    return ref
      .slice(2)
      .split('/')
      .reduce((inner, key) => inner[key], this.document as any)
  }

  parameters(operation: Operation): ParameterObject[] {
    return (operation.parameters ?? []).map((one) => this.resolve<ParameterObject>(one))
  }

  response(operation: Operation, status: number): ResponseObject | undefined {
    const response = operation.responses[status] ?? operation.responses.default
    return response && this.resolve<ResponseObject>(response)
  }

  /**
   * @returns the validation errors of the value; an undeclared property is one
   */
  errorsOf(schema: SchemaObject = {}, value: unknown): string | undefined {
    const key = JSON.stringify(schema)
    let validate = this.#validators.get(key)
    if (!validate) {
      validate = this.#ajv.compile(validated(schema, CLOSED) as object)
      this.#validators.set(key, validate)
    }
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }

  /**
   * Compares a response with its declaration.
   *
   * @param isHead  true for the response to HEAD, which has no body
   * @returns the first difference
   */
  violationOf(operation: Operation, reply: HttpResponse, isHead = false): string | undefined {
    const response = this.response(operation, reply.status)
    if (!response) return `the status ${reply.status} is not declared`
    const error = this.#headerError(response, reply.headers)
    if (error) return error

    const [type] = (reply.headers.get('content-type') ?? '').split(';')
    if (isHead || !response.content) return reply.text === '' ? undefined : 'there is a body'
    const media = response.content[type] ?? response.content['*/*']
    if (!media) return `the content type ${type} is not declared`
    return type === 'application/x-ndjson'
      ? this.#linesError(response, reply.text)
      : this.errorsOf(media.schema, reply.body === undefined ? reply.text : reply.body)
  }

  /** Compares the lines of an NDJSON response with the items of the list. */
  #linesError({ content }: ResponseObject, lines: string): string | undefined {
    const list = this.resolve<SchemaObject>(content!['application/json'].schema!)
    const whole = this.resolve<SchemaObject>(list.anyOf?.[1] ?? list)
    const items = lines.split('\n').filter(Boolean)
    return this.errorsOf(whole, { [whole.required![0]]: items.map((line) => JSON.parse(line)) })
  }

  #headerError({ headers: declared = {} }: ResponseObject, headers: Headers): string | undefined {
    for (const [name, header] of Object.entries(declared)) {
      const { required, schema } = this.resolve<any>(header)
      const value = headers.get(name)
      if (value === null && required) return `the header ${name} is missing`
      const error =
        value !== null && this.errorsOf(schema, schema.type === 'integer' ? Number(value) : value)
      if (error) return `the header ${name} is ${value}: ${error}`
    }
    const known = Object.keys(declared).map((name) => name.toLowerCase())
    const other = [...headers.keys()].find((name) => !known.includes(name) && !OF_HTTP.test(name))
    return other && `the header ${other} is not declared`
  }

  /** Generates values that match a schema. */
  arbitrary(given: SchemaObject): fc.Arbitrary<unknown> {
    const schema = this.resolve<SchemaObject>(given)
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => this.arbitrary(one)))
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type) => this.arbitrary({ ...schema, type })))
    }
    switch (schema.type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer({
          min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
          max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
        })
      case 'number':
        return fc
          .double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
          .map((number) => Number(number.toFixed(3)) || 0)
      case 'string':
        return text(schema)
      case 'array': {
        const { items = {}, minItems = 0, maxItems = 5 } = schema as any
        return fc.array(this.arbitrary(items), { minLength: minItems, maxLength: maxItems })
      }
      case 'object':
        return this.#object(schema)
      default:
        return fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).map(withoutNul)
    }
  }

  #object({ properties = {}, required = [] }: SchemaObject) {
    const members = Object.entries(properties).map(([name, one]) => [name, this.arbitrary(one)])
    return fc.record(Object.fromEntries(members), { requiredKeys: required as never[] })
  }
}

/**
 * Returns a schema of the document as it validates: with references to the schemas that Ajv has, and without undeclared
 * properties.
 */
function validated(schema: unknown, form: string): any {
  if (Array.isArray(schema)) return schema.map((one) => validated(one, form))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, allOf, ...rest } = schema as SchemaObject
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      ['enum', 'const', 'examples'].includes(name) ? value : validated(value, CLOSED),
    ])
  )
  const isClosed =
    form === CLOSED && (allOf || (rest.properties && rest.additionalProperties === undefined))
  return {
    ...inner,
    ...($ref && { $ref: $ref.replace('#/components/schemas/', `${form}#/$defs/`) }),
    ...(allOf !== undefined && { allOf: validated(allOf, OPEN) }),
    ...(isClosed && [rest.type].flat().includes('object') && { unevaluatedProperties: false }),
    ...(isClosed && allOf !== undefined && { type: 'object', unevaluatedProperties: false }),
  }
}

const pad = (number: number) => String(number).padStart(2, '0')

const day = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9000-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

const clock = fc.tuple(fc.nat(23), fc.nat(59), fc.nat(59)).map((parts) => parts.map(pad).join(':'))

function text({ pattern, format, minLength = 0, maxLength = 60, contentEncoding }: SchemaObject) {
  if (format === 'date') return day
  if (format === 'uuid') return fc.uuid()
  if (contentEncoding === 'base64')
    return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  /* A date that does not exist matches the pattern, but is invalid. */
  if (pattern?.startsWith(String.raw`^\d{4}-\d{2}-\d{2}`)) {
    return fc.tuple(day, clock).map((parts) => parts.join(' '))
  }
  if (pattern?.startsWith(String.raw`^\d{2}:\d{2}`)) return clock
  if (pattern) {
    return fc.stringMatching(new RegExp(pattern, 'u')).filter((one) => one.length <= maxLength)
  }
  return fc
    .string({
      unit: format === 'password' ? 'grapheme-ascii' : 'grapheme',
      minLength,
      maxLength: Math.min(maxLength, 60),
    })
    .map(withoutNul)
    .filter((one) => [...one].length <= (maxLength as number) && [...one].length >= minLength)
}

function withoutNul<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('\\u0000', ''))
}
