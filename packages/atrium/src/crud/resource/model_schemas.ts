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
import type { Projection } from './projection.js'
import type { Key } from '#base/columns/key'
import type { KeyKind } from '#base/values/new_key'
import vine from '@vinejs/vine'
import { crudConfig } from '../settings.js'
import { characterCount } from '#base/values/text'

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

/** The columns of a derived schema, without those that other code sets. */
export interface DerivedFrom {
  columns: readonly Column[]
  /** Soft-delete and update columns, by attribute */
  managed: ReadonlySet<string>
  /** True if the body must contain the key, because it is not generated */
  keyIsGiven: boolean
}

/** Counts characters as the database does; VineJS's rule counts UTF-16 units, which are two for an emoji. */
const maxCharacters = vine.createRule<{ most: number }>(
  (value, { most }, field) => {
    if (typeof value === 'string' && value.length > most && characterCount(value) > most) {
      field.report(
        `The {{ field }} field must not be greater than ${most} characters`,
        'maxLength',
        field,
        { max: most }
      )
    }
  },
  { name: 'maxCharacters', toJSONSchema: (schema, { most }) => void (schema.maxLength = most) }
)

/**
 * Derives the schema of a table: with the type and length of each column, nullable like the column, and required
 * without another source of a value.
 */
export function deriveSchema(operation: 'create' | 'update', from: DerivedFrom): ObjectSchema {
  const fields: Record<string, any> = {}
  for (const column of from.columns) {
    if (!isWritable(column, operation, from)) continue
    let field = fieldFor(column)
    if (column.nullable) field = field.nullable()
    const mayBeAbsent = operation === 'update' || column.nullable || column.hasDefault
    fields[column.attribute] = mayBeAbsent ? field.optional() : field
  }
  return vine.object(fields)
}

function isWritable(column: Column, operation: string, from: DerivedFrom): boolean {
  if (column.generated) return false
  if (column.isPrimary) return operation === 'create' && from.keyIsGiven
  /* Hidden columns are set by application code, or by a custom schema that contains them. */
  if (column.hidden) return false
  if (column.automatic || from.managed.has(column.attribute)) return false
  return !['created_at', 'updated_at'].includes(column.name)
}

/**
 * Returns the schema of a field. Optional fields of VineJS drop null, so body_schema.ts distinguishes absent fields
 * from null.
 */
function fieldFor(column: Column): any {
  if (column.choices) return vine.enum(column.choices)
  switch (column.kind) {
    case 'integer':
      return vine.number().withoutDecimals()
    case 'number':
      return vine.number()
    case 'boolean':
      return vine.boolean()
    case 'uuid':
      return vine.string().uuid()
    case 'json':
      /* The column validates the items, with a better error message. */
      return column.element ? vine.array(vine.any().nullable()) : vine.any()
    case 'text':
      return vine
        .string()
        .use(maxCharacters({ most: column.maxLength ?? crudConfig().limits.text }))
    default:
      /* Dates, times and base64 have formats that the column validates, with a better error message. */
      return vine.string()
  }
}
