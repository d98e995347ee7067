import vine, { BaseType, SimpleErrorReporter, VineValidator, type VineObject } from '@vinejs/vine'
import { ValueError } from '../errors.js'
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
 * A field of a schema: its name in the input, and in the output (`toCamelCase()` renames).
 */
export interface SchemaField {
  input: string
  output: string
}

/** The part of VineJS's compiled tree that names fields. */
interface CompiledNode {
  type?: string
  properties?: Array<{ fieldName: string; propertyName: string }>
  groups?: Array<{ conditions: Array<{ schema: CompiledNode }> }>
}

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
    else throw noObjectSchema(option, model)

    const tree = (this.#validator.toJSON() as any).schema.schema as CompiledNode
    if (tree.type !== 'object') throw noObjectSchema(option, model)
    this.fields = namedFields(tree)
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

function noObjectSchema(option: string, model: string): ValueError {
  return new ValueError(
    `${model}: ${option} must be a VineJS object schema, as in vine.object({ ... }), or a validator compiled from one`
  )
}

function namedFields(node: CompiledNode): SchemaField[] {
  const own = (node.properties ?? []).map(({ fieldName, propertyName }) => ({
    input: fieldName,
    output: propertyName,
  }))
  const grouped = (node.groups ?? []).flatMap(({ conditions }) =>
    conditions.flatMap((condition) => namedFields(condition.schema))
  )
  const unique = new Map([...own, ...grouped].map((field) => [field.input, field]))
  return [...unique.values()]
}
