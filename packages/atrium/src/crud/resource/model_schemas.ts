import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { ColumnSet } from '#base/columns/column_set'
import { listed, ValueError } from '#base/errors'
import { BodySchema } from '#base/schema/body_schema'
import {
  CompiledSchema,
  isFileType,
  type ObjectSchema,
  type SchemaField,
} from '#base/schema/object_schema'
import { deriveSchema } from '../schema/derived_schema.js'
import type { Projection } from './projection.js'
import { type Key } from '#base/columns/key'
import { type KeyKind } from '#base/values/new_key'

/** Body schemas that are set in the options of a model */
export interface GivenSchemas {
  create?: CompiledSchema
  update?: CompiledSchema
}

/**
 * Compiles a body schema.
 *
 * @throws ValueError  for a field that is not a column or a virtual field
 */
export function compileBody(
  model: string,
  option: 'createSchema' | 'updateSchema',
  schema: ObjectSchema | undefined,
  columns: ColumnSet,
  virtualFields: readonly string[]
): CompiledSchema | undefined {
  if (schema === undefined) return undefined
  const compiled = new CompiledSchema(schema, option, model)
  const unknown = compiled.fields
    .map((field) => field.input)
    .filter((name) => !columns.find(name) && !virtualFields.includes(name))
  if (unknown.length > 0) {
    throw new ValueError(
      `${model}: ${option} does not match the model: ${listed(unknown)} is not a column; columns are ${listed(columns.all.map((column) => column.apiName))}. A field that is not a column must be in virtualFields`
    )
  }
  return compiled
}

/**
 * Returns the fields of `selectSchema`, by API name.
 *
 * @throws ValueError  for a field that cannot be shown
 */
export function selectedFields(
  model: LucidModel,
  schema: ObjectSchema | undefined,
  columns: ColumnSet
): Map<string, SchemaField> | undefined {
  if (schema === undefined) return undefined
  const compiled = new CompiledSchema(schema, 'selectSchema', model.name)
  const computed = [...model.$computedDefinitions.keys()]
  const selected = new Map<string, SchemaField>()
  for (const field of compiled.fields) {
    const { input } = field
    const column = columns.find(input)
    if (column && !column.hidden) selected.set(column.apiName, field)
    else if (computed.includes(input)) selected.set(input, field)
    else {
      throw new ValueError(
        `${model.name}: selectSchema names '${input}', which is ${column ? 'a hidden column' : 'no column'}; what can be shown is ${listed([...columns.visible.map((one) => one.apiName), ...computed])}`
      )
    }
  }
  return selected
}

/**
 * Returns the computed properties of responses: attribute -> API name.
 *
 * @param shows  returns false for an API name that grants hide
 */
export function shownComputed(
  { $computedDefinitions }: LucidModel,
  selected: ReadonlyMap<string, SchemaField> | undefined,
  shows: (name: string) => boolean
): Map<string, string> {
  const shown = [...$computedDefinitions].flatMap(([attribute, { serializeAs: name }]) => {
    const isShown = name !== null && (selected?.has(attribute) ?? true) && shows(name)
    return isShown ? [[attribute, name] as const] : []
  })
  return new Map(shown)
}

/** Returns the columns whose schema accepts a file or a list of files. */
export function fileColumnsOf({ create, update }: GivenSchemas, columns: ColumnSet): Column[] {
  const fields = [create, update].flatMap((one) => one?.fields ?? [])
  const files = fields.filter(({ type }) => isFileType(type))
  return files.flatMap(({ input }) => columns.find(input) ?? [])
}

/**
 * True if the body of a create must contain the key: for a composite key, or if no part of the database, the model or
 * the engine generates it.
 *
 * @param generated  kind of the keys that the engine generates
 */
export function mustGiveKey(model: LucidModel, key: Key, generated: KeyKind | undefined): boolean {
  if (key.isComposite) return true
  if (generated) return false
  const { $hooks: hooks, selfAssignPrimaryKey } = model
  const isAssigned = selfAssignPrimaryKey || hooks.has('before:create') || hooks.has('before:save')
  return !(key.columns[0].hasDefault || isAssigned)
}

/**
 * Returns the body schema of a create or an update: the given schema, or one that is derived from the table.
 *
 * @param base       columns without the projection
 * @param managed    attributes that the engine sets
 * @param keyIsGiven true if the body must contain the key
 */
export function bodySchemaOf(
  operation: 'create' | 'update',
  model: string,
  given: GivenSchemas,
  {
    columns: own,
    base,
    projection,
  }: { columns: ColumnSet; base: ColumnSet; projection?: Projection },
  { managed, keyIsGiven }: { managed: Set<string>; keyIsGiven: boolean }
): BodySchema {
  /* Base columns, because a mixed column accepts null: a value that the caller reads as null must not become null. */
  const columns = own.all.map((one, index) => (one.hidden ? one : base.all[index]))
  const schema =
    given[operation] ??
    new CompiledSchema(
      deriveSchema(operation, { columns, managed, keyIsGiven }),
      `${operation}Schema`,
      model
    )
  const isDerived = given[operation] === undefined
  const find = (name: string) => columns[own.all.indexOf(own.find(name) as Column)]
  const writing = projection && ((name: string) => projection.offers(operation, name))
  return new BodySchema(schema, find, operation === 'update', isDerived, writing)
}
