import vine, { VineObject, VineValidator } from '@vinejs/vine'
import type { ValidationError } from '@vinejs/vine'
import { ValueError } from '../errors.js'

/**
 * A VineJS object schema, or a validator compiled from one. [P6]
 */
export type ObjectSchema =
  VineObject<any, any, any, any> | VineValidator<VineObject<any, any, any, any>, any>

/**
 * A field of a schema: its name in the input, and in the output (`toCamelCase()` renames).
 */
export interface SchemaField {
  input: string
  output: string
}

/** The part of VineJS's compiled tree that names fields. */
interface CompiledNode {
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
    else if (schema instanceof VineObject) this.#validator = vine.create(schema)
    else {
      throw new ValueError(
        `${model}: ${option} must be a VineJS object schema, as in vine.object({ ... }), or a validator compiled from one`
      )
    }

    const tree = (this.#validator.toJSON() as any).schema.schema as CompiledNode
    this.fields = namedFields(tree)
  }

  /**
   * @returns the failing fields, or the output
   */
  async validate(
    input: object,
    meta: Record<string, unknown>
  ): Promise<[ValidationError, null] | [null, Record<string, unknown>]> {
    return (await this.#validator.tryValidate(input, { meta } as any)) as any
  }
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
