import string from '@adonisjs/core/helpers/string'
import { listed, ValueError } from '#base/errors'
import { apiName, checkAttribute, checkLength } from './model_names.js'
import {
  MODIFIERS,
  nameIn,
  partsOf,
  splitOutsideParentheses,
  type ErrorText,
  isRelation,
  parseRelation,
  RELATION_USAGES,
  type Relation,
} from './relation.js'
import { FIELD_TYPES, type FieldType } from './field_types.js'

/** A column of a generated model. */
export interface Field {
  /** API name, such as `paid_at` or `paidAt` */
  name: string
  /** Column name, such as `paid_at` */
  column: string
  /** Attribute name, such as `paidAt` */
  attribute: string
  type: FieldType
  /** Parameters of the type, such as a length or choices; the type's defaults if none were given */
  parameters: readonly string[]
  nullable: boolean
  unique: boolean
  index: boolean
  /** The database default as TypeScript code: `'draft'`, `0`, `true` */
  default: string | undefined
  isPrimary?: boolean
  /** True if responses never contain the field */
  isHidden?: boolean
  /** Set by Lucid: at creation, or at every write */
  automatic?: 'create' | 'update'
  /** For a `belongsTo`: name of the relation, and class name of the related model */
  relation: { name: string; model: string } | undefined
}

const TYPES = new Map(FIELD_TYPES.map((type) => [type.name.toLowerCase(), type]))

/**
 * Parses a field argument of `make:crud`: `name:type`, followed by modifiers, each after a colon. A `?` makes the field
 * nullable. The default type is string.
 *
 * @example `number:string(20):unique`, `paid_at:datetime?`, `status:enum(draft,sent):default(draft)`
 * @throws ValueError  naming the field, the error, and the valid form
 */
export function parseField(text: string): Field {
  const [typed, kind = 'string', ...rest] = splitOutsideParentheses(text)
  const given = nameIn(typed, text)
  const error = (message: string) => new ValueError(`${given}: ${message}`)

  const [typeName, parameters, endsInMark] = partsOf(kind, error)
  const type = TYPES.get(typeName.toLowerCase().replaceAll('_', ''))
  if (!type) {
    throw error(
      `there is no type '${typeName}'; types are ${listed([...FIELD_TYPES.map(({ usage }) => usage), ...RELATION_USAGES])}`
    )
  }
  const modifiers = readModifiers(rest, error)
  const column = columnName(given, type)
  const attribute = string.camelCase(column)
  const field: Field = {
    name: apiName(column, attribute),
    column,
    attribute,
    type,
    parameters: type.parameters(parameters, error),
    nullable: endsInMark || modifiers.nullable || type.isOptional === true,
    unique: modifiers.unique,
    index: modifiers.index,
    default: undefined,
    relation: type.isReference ? relationOf(column, parameters) : undefined,
  }
  check(field, error)
  if (modifiers.default !== undefined) field.default = defaultOf(field, modifiers.default, error)
  return field
}

/** The arguments of `make:crud` after the model's name. */
export interface ModelParts {
  fields: Field[]
  relations: Relation[]
}

/**
 * Parses all fields of a model, and its relations to models that refer to it.
 *
 * @throws ValueError  for the first invalid one, for a duplicate name, and for relations without fields
 */
export function parseFields(texts: readonly string[]): ModelParts {
  const fields = texts.filter((text) => !isRelation(text)).map(parseField)
  const relations = texts.filter(isRelation).map(parseRelation)
  const names = [
    ...fields.flatMap(({ attribute, relation }) =>
      relation ? [attribute, relation.name] : [attribute]
    ),
    ...relations.map(({ attribute }) => attribute),
  ]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) {
    throw new ValueError(
      `${twice} is there twice; a field of type belongsTo also takes the name of its relation`
    )
  }
  if (fields.length === 0 && relations.length > 0) {
    throw new ValueError(
      `${relations[0].name} is not a column: a model needs one in addition, as in name:string`
    )
  }
  return { fields, relations }
}

/**
 * Returns the column name: `number` is unchanged, `paidAt` becomes `paid_at`, and a `belongsTo` of a customer becomes
 * `customer_id`.
 */
function columnName(given: string, type: FieldType): string {
  const isSnake = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(given)
  const name = isSnake ? given : string.snakeCase(given)
  return type.isReference && !name.endsWith('_id') ? `${name}_id` : name
}

function relationOf(column: string, [model]: string[]) {
  const relation = string.camelCase(column.replace(/_id$/, ''))
  return { name: relation, model: string.pascalCase(model ?? relation) }
}

function check({ column, attribute, type, unique, index, relation }: Field, error: ErrorText) {
  checkLength(column)
  checkAttribute(column, attribute)
  if (relation) checkAttribute(relation.name, relation.name)
  if (unique && !type.canBeUnique) throw error(`a field of type ${type.name} can't be unique`)
  if (index && !type.canBeIndexed) throw error(`a field of type ${type.name} can't have an index`)
  if (unique && index) throw error('what is unique has an index already')
}

function defaultOf({ type, parameters }: Field, value: string, error: ErrorText): string {
  if (!type.default) throw error(`a field of type ${type.name} can't have a default`)
  const code = type.default(value, parameters)
  if (code === undefined) throw error(`'${value}' can't be the default of ${type.usage}`)
  return code
}

function readModifiers(texts: string[], error: ErrorText) {
  const found = { nullable: false, unique: false, index: false }
  let fallback: string | undefined
  for (const text of texts) {
    const [name, parameters, mark] = partsOf(text, error)
    const isDefault = name === 'default'
    if (mark) found.nullable = true
    if (isDefault && parameters.length === 1 && fallback === undefined) [fallback] = parameters
    else if (!isDefault && Object.hasOwn(found, name) && parameters.length === 0) {
      found[name as keyof typeof found] = true
    } else {
      throw error(`there is no '${text}'; after the type may stand ${listed(MODIFIERS)}`)
    }
  }
  return { ...found, default: fallback }
}
