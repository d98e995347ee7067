import string from '@adonisjs/core/helpers/string'
import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError } from '#base/errors'
import { BaseModel } from '@adonisjs/lucid/orm'

/**
 * Returns the API name of an attribute of a generated model: the JSON name according to the application's naming
 * strategy, or the column name if that strategy uses snake_case.
 *
 * @param column  column name in snake_case
 */
export function apiName(column: string, attribute: string): string {
  return usesSnakeCase() ? column : namingStrategy().serializedName(BaseModel, attribute)
}

/** Returns the API name of a relation, to which Lucid applies no naming strategy. */
export function apiNameOfRelation(attribute: string): string {
  return usesSnakeCase() ? string.snakeCase(attribute) : attribute
}

function usesSnakeCase(): boolean {
  return namingStrategy().serializedName(BaseModel, 'paidAt') === 'paid_at'
}

function namingStrategy() {
  return BaseModel.namingStrategy
}

/* A table name is part of constraint names, which databases cut at 63 characters. */
const LONGEST_TABLE = 40

/** Names of a model's class, table and files. */
export interface ModelNames {
  /** Class name, such as `OrderLine` */
  model: string
  /** Table name, such as `order_lines` */
  table: string
  /** Plural heading: `Order lines` */
  label: string
  /** Path below the prefix, such as `/order-lines` */
  path: string
  modelFile: string
  factory: string
  factoryFile: string
  /** File name such as `order_lines.spec.ts` */
  testFile: string
}

/**
 * Derives the names of a model from a name in any notation and number: `order_lines`, `order line` and `OrderLine` are
 * the same model.
 *
 * @throws ValueError  when the name is not valid for a model
 */
export function modelNames(app: ApplicationService, given: string): ModelNames {
  const name = given.trim()
  if (!/^[a-z][\w -]*$/i.test(name)) {
    throw new ValueError(
      `'${given}' can't be a model: its name is made of letters and digits, as in OrderLine`
    )
  }
  const { generators } = app
  const model = generators.modelName(name)
  if (model === '') throw new ValueError(`'${given}' can't be a model: it is what all of them are`)
  checkClassName(model)

  const table = string.plural(string.snakeCase(model))
  if (table.length > LONGEST_TABLE) {
    throw new ValueError(
      `'${given}' can't be a model: its table's name, ${table}, has more than ${LONGEST_TABLE} characters`
    )
  }
  return {
    model,
    table,
    label: string.sentenceCase(table),
    path: `/${table.replaceAll('_', '-')}`,
    modelFile: generators.modelFileName(model),
    factory: generators.factoryName(model),
    factoryFile: generators.factoryFileName(model),
    testFile: `${table}.spec.ts`,
  }
}

/* Reserved words of TypeScript, which code cannot use as variable names. */
const WORDS = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export ' +
    'extends false finally for function if implements import in instanceof interface let new null package ' +
    'private protected public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' ')
)

/** Members that generated models have, depending on the flags of the command */
const GENERATED = new Map([
  ['id', 'every model has it'],
  ['createdAt', 'every model has it, unless --no-timestamps is given'],
  ['updatedAt', 'every model has it, unless --no-timestamps is given'],
  ['deletedAt', 'it marks what is soft-deleted: use --soft-deletes'],
  ['isDeleted', 'it marks what is soft-deleted: use --soft-deletes'],
])

/** Names that the generated files or the compiled decorators use */
const CLASSES = new Set(
  (
    'AdminView Array BaseModel BelongsTo BigInt Boolean Buffer Crud Date DateTime Error Function HasMany HasOne ' +
    'Infinity Json ManyToMany Map Math Nan Number Object Promise Proxy Reflect RegExp Set String Symbol'
  ).split(' ')
)

class EmptyModel extends BaseModel {}

/**
 * Checks that a model can have an attribute with this name.
 *
 * @throws ValueError  when it would break the model, or the code that uses it
 */
export function checkAttribute(name: string, attribute: string): void {
  const generated = GENERATED.get(attribute)
  if (generated) throw new ValueError(`${name} can't be a field: ${generated}`)
  if (WORDS.has(attribute)) {
    throw new ValueError(`${name} can't be a field: it is a word of JavaScript`)
  }
  if (isLucidMember(attribute)) {
    throw new ValueError(`${name} can't be a field: every Lucid model has a member ${attribute}`)
  }
}

/** True for a member that every Lucid model has, such as `save`. */
export function isLucidMember(attribute: string): boolean {
  return attribute in new EmptyModel()
}

/** True for a class name that the generated code or JavaScript uses. */
export function isReservedClass(name: string): boolean {
  return CLASSES.has(name)
}

/**
 * Checks that a model's class can have this name.
 *
 * @throws ValueError  when the name is already used
 */
function checkClassName(name: string): void {
  if (isReservedClass(name)) {
    throw new ValueError(`${name} can't be a model: JavaScript or Lucid has a class of that name`)
  }
}

/* A longer name would be cut or refused by some databases as part of a constraint name. */
const LONGEST_NAME = 40

/**
 * Checks the length of a field's name.
 *
 * @throws ValueError
 */
export function checkLength(name: string): void {
  if (name.length > LONGEST_NAME) {
    throw new ValueError(`${name}: the name has more than ${LONGEST_NAME} characters`)
  }
}
