import {
  ANY,
  checkEach,
  FUNCTION,
  isList,
  isObject,
  OBJECT,
  TEXT,
  TEXTS,
  TRUTH,
} from './option_checks.js'
import type { Check } from './option_checks.js'
import type { CrudRouterOptions } from './types.js'

export { shown } from './option_checks.js'

const LISTS: Check = [
  (value) => isObject(value) && Object.values(value).every((one) => isList(one)),
  'a map from operations to lists of middleware',
]

const CHECKS: Record<keyof Required<CrudRouterOptions>, Check> = {
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
  showDeleted: TRUTH,
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
  checkEach(options.model?.name ?? 'crudRouter', options, CHECKS)
}
