import vine, { BaseType, SimpleErrorReporter, VineValidator, type VineObject } from '@vinejs/vine'
import { shown, ValueError, type FieldError } from '../errors.js'

type PlainObject = VineObject<any, any, any, any>
type CamelCaseObject = ReturnType<PlainObject['toCamelCase']>

/**
 * A VineJS object schema, or a validator compiled from one.
 */
export type ObjectSchema =
  | PlainObject
  | CamelCaseObject
  | VineValidator<PlainObject, any>
  | VineValidator<CamelCaseObject, any>

/** The part of JSON Schema that VineJS generates. */
export interface JsonSchema {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  anyOf?: JsonSchema[]
  items?: JsonSchema | JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** A rule of a field, with its options. */
export interface SchemaRule {
  name: string
  options: unknown
}

/** Description of a schema's field. */
export interface SchemaField {
  /** Name of the field in the input */
  input: string
  /** Name of the field in the output, after `toCamelCase()` */
  output: string
  /**
   * VineJS's type, including types that JSON does not have, such as `date` and `multipartFile`; `multipartFiles` for a
   * list of files
   */
  type: string
  /** The schema without null, which `nullable` indicates. A union is an `anyOf`. */
  json: JsonSchema
  nullable: boolean
  /** True if the field is always required */
  required: boolean
  /** Options of the type, as in `vine.number({ strict: true })`; for a list of files those of each file */
  settings: Readonly<Record<string, unknown>>
  /** Rules in the order of execution */
  rules: readonly SchemaRule[]
}

/** True for a field that takes an uploaded file or several. */
export function isFileType(type: string): boolean {
  return type === 'multipartFile' || type === 'multipartFiles'
}

/** The part of VineJS's compiled tree that describes fields. */
interface CompiledNode {
  type: string
  subtype?: string
  fieldName: string
  propertyName: string
  allowNull?: boolean
  isOptional?: boolean
  parseFnId?: string
  dataTypeValidatorFnId?: string
  validations?: Array<{ ruleFnId: string; name?: string }>
  /** Items of an array */
  each?: CompiledNode
  properties?: CompiledNode[]
  groups?: Array<{ conditions: Array<{ schema: CompiledNode }> }>
}

type References = Record<string, { options?: unknown }>

/** A compiled schema and its fields, including fields that are in only some groups. */
export class CompiledSchema {
  readonly fields: SchemaField[]
  readonly #validator: VineValidator<any, any>

  /** @throws ValueError  for any other value than an object schema */
  constructor(schema: ObjectSchema, option: string, model: string) {
    if (schema instanceof VineValidator) this.#validator = schema
    else if (schema instanceof BaseType) this.#validator = vine.create(schema)
    else throw noObjectSchema(schema, option, model)

    const { schema: root, refs } = this.#validator.toJSON() as any
    const tree = root.schema as CompiledNode
    if (tree.type !== 'object') throw noObjectSchema(schema, option, model)
    this.fields = describedFields(tree, refs, jsonProperties(this.#validator.toJSONSchema() as any))
  }

  /**
   * Validates an input.
   *
   * @returns the errors, and the output of all valid fields
   */
  async validate(
    input: object,
    meta: Record<string, unknown>
  ): Promise<{ failures: FieldError[]; output: Record<string, unknown> }> {
    const reporter = new CollectingReporter()
    const options = { meta, errorReporter: () => reporter }
    const output = await this.#validator.validate(input, options as any)
    return { failures: reporter.errors, output }
  }
}

/**
 * Collects errors without reporting them to VineJS, so that it validates all fields and the output contains the valid
 * ones: these can then be checked against the database in the same response.
 */
class CollectingReporter extends SimpleErrorReporter {
  report(...failure: Parameters<SimpleErrorReporter['report']>) {
    super.report(...failure)
    this.hasErrors = false
  }
}

function noObjectSchema(schema: unknown, option: string, model: string): ValueError {
  /* A type of VineJS is shown by its class name, because its long internals would not help readers. */
  const { name = '' } = (schema as object | null)?.constructor ?? {}
  const what = /^Vine/.test(name) ? `a ${name}` : shown(schema)
  return new ValueError(
    `${model}: ${option} is ${what}, and must be a VineJS object schema, as in vine.object({ ... }), or a validator compiled from one`
  )
}

function describedFields(
  tree: CompiledNode,
  references: References,
  schemas: Map<string, JsonSchema>
): SchemaField[] {
  const fields = new Map<string, SchemaField>()
  const add = (node: CompiledNode, isConditional: boolean) => {
    for (const property of node.properties ?? []) {
      const json = schemas.get(property.fieldName) ?? {}
      fields.set(property.fieldName, {
        ...described(property, references, json),
        /* The VineJS `parse` function of a field can provide a missing value. */
        required: !isConditional && !property.parseFnId && isRequired(property, json),
      })
    }
    for (const { conditions } of node.groups ?? []) {
      for (const { schema } of conditions) add(schema, true)
    }
  }
  add(tree, false)
  return [...fields.values()]
}

function described(node: CompiledNode, references: References, json: JsonSchema) {
  const parsed = node.parseFnId ? [{ name: 'parse', options: undefined }] : []
  const isFiles = node.each?.subtype === 'multipartFile'
  const { dataTypeValidatorFnId = '' } = isFiles ? node.each! : node
  return {
    input: node.fieldName,
    output: node.propertyName,
    type: isFiles ? 'multipartFiles' : (node.subtype ?? node.type),
    json: withoutNull(json),
    nullable: node.allowNull ?? alternatives(json).some(({ type }) => type === 'null'),
    settings: (references[dataTypeValidatorFnId]?.options ?? {}) as SchemaField['settings'],
    rules: [
      ...parsed,
      ...(node.validations ?? []).map(({ ruleFnId, name }) => ({
        name: name ?? '',
        options: references[ruleFnId]?.options,
      })),
    ],
  }
}

/** True if a field is required. An optional union has no mark, but one of its alternatives accepts anything. */
function isRequired(node: CompiledNode, json: JsonSchema): boolean {
  if (node.isOptional !== undefined) return !node.isOptional
  return !alternatives(json).some((one) => Object.keys(one).length === 0)
}

function alternatives(json: JsonSchema): JsonSchema[] {
  return json.anyOf ?? [json]
}

function withoutNull({ ...json }: JsonSchema): JsonSchema {
  if (json.anyOf) {
    const rest = json.anyOf.filter((one) => one.type !== 'null' && Object.keys(one).length > 0)
    return rest.length === 1 ? rest[0] : { ...json, anyOf: rest }
  }
  if (json.type === 'null') delete json.type
  if (Array.isArray(json.type)) {
    const rest = json.type.filter((type) => type !== 'null')
    json.type = rest.length === 1 ? rest[0] : rest
  }
  return json
}

/** Returns the properties, including those of groups, each of which is an alternative. */
function jsonProperties(json: JsonSchema): Map<string, JsonSchema> {
  const properties = new Map<string, JsonSchema>()
  for (const inner of json.anyOf ?? []) {
    for (const [name, schema] of jsonProperties(inner)) properties.set(name, schema)
  }
  for (const [name, schema] of Object.entries(json.properties ?? {})) properties.set(name, schema)
  return properties
}
