import { BaseModel } from '@adonisjs/lucid/orm'
import { ValueError } from '#base/errors'

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
export function checkClassName(name: string): void {
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
