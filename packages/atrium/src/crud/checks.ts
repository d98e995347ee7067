import { listed, ValueError } from '#base/errors'
import { KEY_KINDS, type KeyKind } from '#base/values/new_key'
import { TRANSITIONS } from '#base/columns/transitions'
import { isOperation, OPERATIONS, type Operation } from './operations/operation.js'
import {
  ANY,
  type Check,
  checkEach,
  FUNCTION,
  isList,
  isObject,
  OBJECT,
  TEXT,
  TEXTS,
  TRUTH,
  isPathSegment,
} from '#base/checks'

/* Properties of a list response other than its items */
const LIST_MEMBERS = [
  'total_count',
  'total_is_estimate',
  'has_more',
  'page',
  'items_per_page',
  'next_cursor',
]

const LISTS: Check = [
  (value) => isObject(value) && Object.values(value).every((one) => isList(one)),
  'a map from operations to lists of middleware',
]

/** Dialects that the option `compat` can name */
export const DIALECTS: Check = [
  (value) => isList(value, (one) => one === 'json-server'),
  "a list of dialects, as in ['json-server']",
]

const isRelations = (value: unknown) =>
  isList(value, (one) => typeof one === 'string' || isObject(one))

function isIncludeSettings(value: unknown): boolean {
  if (!isObject(value) || !('always' in value)) return false
  return Object.entries(value).every(
    ([name, list]) => ['always', 'optional'].includes(name) && isRelations(list)
  )
}

const CHECKS: Readonly<Record<string, Check>> = {
  model: ANY,
  path: TEXT,
  tags: TEXTS,
  createSchema: ANY,
  updateSchema: ANY,
  deleteSchema: ANY,
  selectSchema: ANY,
  key: [
    (value) => KEY_KINDS.includes(value as KeyKind),
    listed(KEY_KINDS.map((kind) => `'${kind}'`)),
  ],
  virtualFields: TEXTS,
  session: FUNCTION,
  crud: ANY,
  includedMethods: TEXTS,
  deletedMethods: TEXTS,
  batch: TRUTH,
  bulk: TRUTH,
  aggregate: TRUTH,
  compat: DIALECTS,
  endpointNames: OBJECT,
  endpointCreator: ANY,
  filterConfig: OBJECT,
  filters: [(value) => value === 'related', "'related'"],
  operators: OBJECT,
  responseKey: [
    (value) => typeof value === 'string' && value !== '' && !LIST_MEMBERS.includes(value),
    `a name other than ${LIST_MEMBERS.join(', ')}`,
  ],
  deprecated: OBJECT,
  isDeletedColumn: TEXT,
  deletedAtColumn: TEXT,
  updatedAtColumn: TEXT,
  showDeleted: TRUTH,
  include: [
    (value) => isRelations(value) || isIncludeSettings(value),
    'a list of relations, each a name or { relation, limit, pivot }, or { always, optional } with lists of these',
  ],
  middleware: LISTS,
  access: [(value) => typeof value === 'string' || isObject(value), 'a string or a map'],
  policy: FUNCTION,
  transitions: TRANSITIONS,
  scope: FUNCTION,
}

/**
 * Checks the type of each option, because JavaScript callers and casts are not checked by the compiler. The meaning of
 * an option is checked where it is used.
 *
 * @throws ValueError  for an unknown option or a value of the wrong type
 */
export function checkOptions(options: { model?: { name: string } }): void {
  checkEach(options.model?.name ?? 'crudRouter', options, CHECKS)
}

/**
 * Checks an option that lists operations.
 *
 * @returns the operations; undefined if the option is not given
 * @throws ValueError  for an unknown operation
 */
export function checkOperations(
  place: string,
  option: string,
  names: Iterable<string> | undefined
): Set<Operation> | undefined {
  if (names === undefined) return undefined
  for (const name of names) {
    if (!isOperation(name)) {
      throw new ValueError(
        `${place}: ${option} names '${name}', which is not an operation; operations are ${listed(OPERATIONS)}`
      )
    }
  }
  return new Set(names as Iterable<Operation>)
}

/**
 * Checks the operations and path segments in `endpointNames` and `middleware`.
 *
 * @throws ValueError
 */
export function checkEndpointNames(
  place: string,
  { endpointNames, middleware }: { endpointNames?: object; middleware?: object }
): void {
  const keys: string[] = [...OPERATIONS, 'read_paginated', 'batch', 'aggregate']
  for (const [key, segment] of Object.entries(endpointNames ?? {})) {
    if (!keys.includes(key)) {
      throw new ValueError(
        `${place}: endpointNames names '${key}', which is not an operation; operations are ${listed(keys)}`
      )
    }
    if (typeof segment !== 'string' || (segment !== '' && !isPathSegment(segment))) {
      throw new ValueError(
        `${place}: endpointNames gives ${key} the path segment '${segment}', which may hold only letters, digits and . _ ~ -`
      )
    }
  }
  checkOperations(place, 'middleware', Object.keys(middleware ?? {}))
}

/**
 * Checks the option `access`.
 *
 * @throws ValueError
 */
export function checkAccess(place: string, access: unknown): void {
  const rules: Array<[string, unknown]> = isObject(access)
    ? Object.entries(access)
    : [['access', access]]
  for (const [key, rule] of rules) {
    if (isObject(access)) checkOperations(place, 'access', [key])
    if (rule !== undefined && rule !== 'public' && rule !== 'token') {
      throw new ValueError(
        `${place}: access is '${String(rule)}', and must be 'public' or 'token', or a map from operations to these`
      )
    }
  }
}
