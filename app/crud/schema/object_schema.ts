import vine, { BaseType, SimpleErrorReporter, VineValidator, type VineObject } from '@vinejs/vine'
import { ValueError } from '../errors.js'
import { shown } from '../option_checks.js'
import type { FieldError } from '../http/problem.js'

type PlainObject = VineObject<any, any, any, any>
type CamelCaseObject = ReturnType<PlainObject['toCamelCase']>

/**
 * A VineJS object schema, or a validator compiled from one. [P6]
 */
export type ObjectSchema =
  | PlainObject
  | CamelCaseObject
  | VineValidator<PlainObject, any>
  | VineValidator<CamelCaseObject, any>

/**
 * The part of JSON Schema that VineJS writes.
 */
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
}

/**
 * A rule of a field, and what it was made with.
 */
export interface SchemaRule {
  name: string
  options: unknown
}

/**
 * A field of a schema, as far as the schema tells of it.
 */
export interface SchemaField {
  /** Its name in the input */
  input: string
  /** Its name in the output, as `toCamelCase()` renames */
  output: string
  /** VineJS's own type, which also tells those that JSON has not, as in `date`, `multipartFile` */
  type: string
  /** Null left out: `nullable` tells it. A union is an `anyOf`. */
  json: JsonSchema
  nullable: boolean
  /** Whether it must be there, whatever else is */
  required: boolean
  /** What the type was made with, as in `vine.number({ strict: true })` */
  settings: Readonly<Record<string, unknown>>
  /** In the order in which they run */
  rules: readonly SchemaRule[]
}

/** The part of VineJS's compiled tree that tells of fields. */
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
  properties?: CompiledNode[]
  groups?: Array<{ conditions: Array<{ schema: CompiledNode }> }>
}

type References = Record<string, { options?: unknown }>

/**
 * A schema ready for use, and the names of its fields, also of those that only some of its groups
 * have.
 */
export class CompiledSchema {
  readonly fields: SchemaField[]
  readonly #validator: VineValidator<any, any>

  /**
   * @throws ValueError  when it is no object schema
   */
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
   * @returns what fails, and the output of all that does not
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
 * Never says that there were errors, so that VineJS goes on to the end and the fields that pass still
 * come out: what the database would refuse in one of them must not stay unsaid until the others are
 * right. [A6]
 */
class CollectingReporter extends SimpleErrorReporter {
  report(...failure: Parameters<SimpleErrorReporter['report']>) {
    super.report(...failure)
    this.hasErrors = false
  }
}

function noObjectSchema(schema: unknown, option: string, model: string): ValueError {
  /* Inside they are long, and tell nobody anything. */
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
        /* What it has no value for, a parser may give one. */
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
  return {
    input: node.fieldName,
    output: node.propertyName,
    type: node.subtype ?? node.type,
    json: withoutNull(json),
    nullable: node.allowNull ?? alternatives(json).some(({ type }) => type === 'null'),
    settings: (references[node.dataTypeValidatorFnId ?? '']?.options ??
      {}) as SchemaField['settings'],
    rules: [
      ...parsed,
      ...(node.validations ?? []).map(({ ruleFnId, name }) => ({
        name: name ?? '',
        options: references[ruleFnId]?.options,
      })),
    ],
  }
}

/** A union does not say itself that it is optional: one of its alternatives takes anything then. */
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

/** Those of groups too, each of which is an alternative. */
function jsonProperties(json: JsonSchema): Map<string, JsonSchema> {
  const properties = new Map<string, JsonSchema>()
  for (const inner of json.anyOf ?? []) {
    for (const [name, schema] of jsonProperties(inner)) properties.set(name, schema)
  }
  for (const [name, schema] of Object.entries(json.properties ?? {})) properties.set(name, schema)
  return properties
}
