/*
 * The API schema for clients: validators of its schemas, and generators of matching values.
 */
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
import { get } from '#tests/helpers/http'

export interface Operation extends OperationObject {
  method: string
  path: string
}

/**
 * A document with compiled validators.
 */
export class ApiSchema {
  readonly #ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(readonly document: OpenApiDocument) {
    ;(addFormats as unknown as { default: typeof addFormats.default }).default(this.#ajv)
    this.#ajv.addFormat('password', true)
    this.#ajv.addKeyword('x-enum-descriptions')
    const schemas = this.#inDefinitions(document.components.schemas)
    this.#ajv.addSchema({ $id: 'api', $defs: schemas as Record<string, object> })
  }

  /**
   * Reads the application's document.
   */
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
   * @returns the validation errors of the value
   */
  errorsOf(schema: SchemaObject, value: unknown): string | undefined {
    const key = JSON.stringify(schema)
    let validate = this.#validators.get(key)
    if (!validate) {
      validate = this.#ajv.compile(this.#inDefinitions(schema) as object)
      this.#validators.set(key, validate)
    }
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }

  /** Rewrites references to the document as references to the schema that Ajv has. */
  #inDefinitions<Value>(value: Value): Value {
    return JSON.parse(JSON.stringify(value).replaceAll('"#/components/schemas/', '"api#/$defs/'))
  }

  /**
   * Generates values that match a schema.
   */
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
