import string from '@adonisjs/core/helpers/string'
import { listed, ValueError } from '../errors.js'
import { FIELD_TYPES, type FieldType } from './field_types.js'
import { checkAttribute } from './reserved.js'

/** A column of a generated model. [P12] */
export interface Field {
  /** Name in the table and in the API, as in `paid_at` */
  name: string
  /** Name in the model, as in `paidAt` */
  attribute: string
  type: FieldType
  /** The type's parameters, such as a length or choices; the type's own default if none were given */
  parameters: readonly string[]
  nullable: boolean
  unique: boolean
  index: boolean
  /** The database default as TypeScript code: `'draft'`, `0`, `true` */
  default: string | undefined
  /** For a `belongsTo`: name of the relation, and class name of the related model */
  relation: { name: string; model: string } | undefined
}

const TYPES = new Map(FIELD_TYPES.map((type) => [type.name.toLowerCase(), type]))
const MODIFIERS = ['nullable', 'unique', 'index', 'default(VALUE)']

/* As part of a constraint's name, a longer one is cut or refused by some databases. */
const LONGEST_NAME = 40

/**
 * Parses a field argument of `make:crud`: `name:type`, then its modifiers, each after a colon. A `?`
 * makes it nullable. Without a type it is a string.
 *
 * @example `number:string(20):unique`, `paid_at:datetime?`, `status:enum(draft,sent):default(draft)`
 * @throws ValueError  naming the field, the error, and the valid form
 */
export function parseField(text: string): Field {
  const [typed, kind = 'string', ...rest] = splitOutsideParentheses(text)
  const given = typed.trim()
  if (!/^[a-z]\w*$/i.test(given)) {
    throw new ValueError(
      `'${text}' is no field: it begins with a name of letters, digits and _, as in number:string:unique`
    )
  }
  const fault = (message: string) => new ValueError(`${given}: ${message}`)

  const [typeName, parameters, endsInMark] = partsOf(kind, fault)
  const type = TYPES.get(typeName.toLowerCase().replaceAll('_', ''))
  if (!type) {
    throw fault(
      `there is no type '${typeName}'; types are ${listed(FIELD_TYPES.map(({ usage }) => usage))}`
    )
  }
  const modifiers = readModifiers(rest, fault)
  const name = columnName(given, type)
  const field: Field = {
    name,
    attribute: string.camelCase(name),
    type,
    parameters: type.parameters(parameters, fault),
    nullable: endsInMark || modifiers.nullable,
    unique: modifiers.unique,
    index: modifiers.index,
    default: undefined,
    relation: type.isReference ? relationOf(name, parameters) : undefined,
  }
  check(field, fault)
  if (modifiers.default !== undefined) field.default = defaultOf(field, modifiers.default, fault)
  return field
}

/**
 * Parses all fields of a model.
 *
 * @throws ValueError  for the first invalid one, and for a duplicate name
 */
export function parseFields(texts: readonly string[]): Field[] {
  const fields = texts.map(parseField)
  const names = fields.flatMap(({ attribute, relation }) =>
    relation ? [attribute, relation.name] : [attribute]
  )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) {
    throw new ValueError(
      `${twice} is there twice; a field of type belongsTo also takes the name of its relation`
    )
  }
  return fields
}

type Fault = (message: string) => ValueError

/** `number` stays, `paidAt` becomes `paid_at`, and a `belongsTo` of a customer becomes `customer_id`. */
function columnName(given: string, type: FieldType): string {
  const isSnake = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(given)
  const name = isSnake ? given : string.snakeCase(given)
  return type.isReference && !name.endsWith('_id') ? `${name}_id` : name
}

function relationOf(name: string, [model]: string[]) {
  const relation = string.camelCase(name.replace(/_id$/, ''))
  return { name: relation, model: string.pascalCase(model ?? relation) }
}

function check({ name, attribute, type, unique, index, relation }: Field, fault: Fault) {
  if (name.length > LONGEST_NAME) {
    throw fault(`the name has more than ${LONGEST_NAME} characters`)
  }
  checkAttribute(name, attribute)
  if (relation) checkAttribute(relation.name, relation.name)
  if (unique && !type.canBeUnique) throw fault(`a field of type ${type.name} can't be unique`)
  if (index && !type.canBeIndexed) throw fault(`a field of type ${type.name} can't have an index`)
  if (unique && index) throw fault('what is unique has an index already')
}

function defaultOf({ type, parameters }: Field, value: string, fault: Fault): string {
  if (!type.default) throw fault(`a field of type ${type.name} can't have a default`)
  const code = type.default(value, parameters)
  if (code === undefined) throw fault(`'${value}' can't be the default of ${type.usage}`)
  return code
}

/** The parts of `a:b(c:d):e`. A text in parentheses stays together. */
function splitOutsideParentheses(text: string): string[] {
  return text.split(/:(?![^(]*\))/)
}

/** `string(80)?` -> `string`, `['80']`, and true for the mark. */
function partsOf(text: string, fault: Fault): [name: string, parameters: string[], mark: boolean] {
  const match = /^\s*([a-z]\w*)\s*(?:\(([^()]*)\))?\s*(\??)\s*$/i.exec(text)
  if (!match) {
    throw fault(
      `'${text}' can't be read; a field is name:type, then ${listed(MODIFIERS)}, each after a colon, as in number:string(20):unique`
    )
  }
  const [, name, inside, mark] = match
  const parameters = inside === undefined ? [] : inside.split(',').map((one) => one.trim())
  return [name, parameters, mark === '?']
}

function readModifiers(texts: string[], fault: Fault) {
  const found = { nullable: false, unique: false, index: false }
  let fallback: string | undefined
  for (const text of texts) {
    const [name, parameters, mark] = partsOf(text, fault)
    const isDefault = name === 'default'
    if (mark) found.nullable = true
    if (isDefault && parameters.length === 1 && fallback === undefined) [fallback] = parameters
    else if (!isDefault && Object.hasOwn(found, name) && parameters.length === 0) {
      found[name as keyof typeof found] = true
    } else {
      throw fault(`there is no '${text}'; after the type may stand ${listed(MODIFIERS)}`)
    }
  }
  return { ...found, default: fallback }
}
