import { inspect } from 'node:util'
import { listed, ValueError } from './errors.js'
import type { CrudRouterOptions } from './types.js'

type Name = keyof Required<CrudRouterOptions>
type Check = [isRight: (value: any) => boolean, wanted: string]

const TEXT: Check = [(value) => typeof value === 'string', 'a string']
const TEXTS: Check = [(value) => isList(value, TEXT[0]), 'a list of strings']
const FUNCTION: Check = [(value) => typeof value === 'function', 'a function']
const OBJECT: Check = [isObject, 'an object']
const LISTS: Check = [
  (value) => isObject(value) && Object.values(value).every((one) => isList(one)),
  'a map from operations to lists of middleware',
]
/* Looked at where they are used. */
const ANY: Check = [() => true, '']

const CHECKS: Record<Name, Check> = {
  model: ANY,
  path: TEXT,
  tags: TEXTS,
  createSchema: ANY,
  updateSchema: ANY,
  deleteSchema: ANY,
  selectSchema: ANY,
  virtualFields: TEXTS,
  session: FUNCTION,
  crud: ANY,
  includedMethods: TEXTS,
  deletedMethods: TEXTS,
  endpointNames: OBJECT,
  endpointCreator: ANY,
  filterConfig: OBJECT,
  isDeletedColumn: TEXT,
  deletedAtColumn: TEXT,
  updatedAtColumn: TEXT,
  showDeleted: [(value) => typeof value === 'boolean', 'true or false'],
  include: TEXTS,
  middleware: LISTS,
  access: [(value) => typeof value === 'string' || isObject(value), 'a string or a map'],
  policy: FUNCTION,
  scope: FUNCTION,
}

/**
 * Whether each option is of its type, whatever it then means: a JavaScript caller, or a cast, gets
 * past the compiler. [P9]
 *
 * @throws ValueError  for an unknown option or a value of the wrong type
 */
export function checkOptions(options: CrudRouterOptions): void {
  const model = options.model?.name ?? 'crudRouter'
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) {
      throw new ValueError(
        `${model}: there is no option '${name}'; options are ${listed(Object.keys(CHECKS))}`
      )
    }
    const [isRight, wanted] = CHECKS[name as Name]
    if (value !== undefined && !isRight(value)) {
      throw new ValueError(`${model}: ${name} is ${shown(value)}, and must be ${wanted}`)
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isList(value)
}

/** Arrays and Sets: a string would be a list of letters, and a generator can be read but once. [P4] */
function isList(value: unknown, isRight: (one: unknown) => boolean = () => true): boolean {
  return (Array.isArray(value) || value instanceof Set) && [...value].every(isRight)
}

/**
 * A wrong value, for a message.
 */
export function shown(value: unknown): string {
  return inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 })
}
