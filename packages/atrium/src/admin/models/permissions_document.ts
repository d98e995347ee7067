import { closest } from 'fastest-levenshtein'
import { ValueError } from '#crud'
import { isObject } from '#base/checks'
import { listed, shown } from '#base/errors'
import { digest } from '#base/values/digest'

/** Actions of every model; bulk actions are identified by their names. */
export const ROLE_ACTIONS = [
  'view',
  'create',
  'update',
  'delete',
  'restore',
  'purge',
  'export',
  'import',
] as const

export type RoleAction = (typeof ROLE_ACTIONS)[number]

/** Represents all models of the application, or all actions. */
export const ALL = '*'

/** The only model of the admin site itself that roles can contain: the user's own access tokens. */
export const OWN_TOKENS = 'AdminAccessToken'

/** Permissions of a role on one model. */
export interface ModelPermissions {
  /** Names of actions, such as `view`, or `*` for all */
  readonly actions: readonly string[]
  /** API names of the fields that are hidden */
  readonly hidden?: readonly string[]
  /** API names of the fields that are read-only */
  readonly readonly?: readonly string[]
  /** Names of scopes; the role applies to records in any of them. Undefined: all records */
  readonly scopes?: readonly string[]
}

/** Lists of a document in addition to its models: names of pages and of dashboard cards; `*` for all. */
export const LISTS = ['pages', 'cards'] as const

export type RoleList = (typeof LISTS)[number]

/**
 * Permissions of a role, by model name. The entry of a model replaces the entry of `*`. The keys `pages` and `cards`
 * are lists of names.
 */
export type PermissionsDocument = Readonly<Record<string, ModelPermissions>> &
  Partial<Readonly<Record<RoleList, readonly string[]>>>

/** Permissions that are written by hand: a less strict type of a permissions document */
export type PermissionsInput = Readonly<Record<string, ModelPermissions | readonly string[]>>

const KEYS = ['actions', 'hidden', 'readonly', 'scopes'] as const
const LONGEST_NAME = 100
const MOST_MODELS = 1000
const MOST_NAMES = 500

/** All errors of a permissions document. */
export class InvalidPermissions extends ValueError {
  constructor(readonly errors: readonly string[]) {
    super(errors.join('; '))
  }
}

/**
 * Parses permissions. Names of models, fields, actions and scopes do not have to exist, because models can be added
 * later.
 *
 * @returns the permissions in canonical form
 * @throws InvalidPermissions  with all errors, each with model and key
 */
export function readPermissions(value: unknown): PermissionsDocument {
  if (!isObject(value)) {
    throw new InvalidPermissions([
      `permissions is ${shown(value)}, and must be an object from models to what may be done with them, as in {"Film": {"actions": ["view"]}}`,
    ])
  }
  const entries = Object.entries(value as object)
  if (entries.length > MOST_MODELS) {
    throw new InvalidPermissions([`permissions names more than ${MOST_MODELS} models`])
  }
  const errors = entries.flatMap(([name, entry]) =>
    isRoleList(name)
      ? listErrors(name, entry)
      : [...nameErrors('permissions', name), ...entryErrors(name, entry)]
  )
  if (errors.length > 0) throw new InvalidPermissions(errors)
  const models = entries
    .filter(([name]) => !isRoleList(name))
    .toSorted(
      ([one], [other]) => Number(one === ALL) - Number(other === ALL) || inOrder(one, other)
    )
    .map(([model, entry]) => [model, normalised(entry)])
  const lists = LISTS.flatMap((list) => {
    const given = namesInList(value as PermissionsDocument, list)
    if (given.length === 0) return []
    return [[list, given.includes(ALL) ? [ALL] : names(given)]]
  })
  return Object.fromEntries([...models, ...lists]) as PermissionsDocument
}

/** Returns true for a key of a document that is not the name of a model. */
function isRoleList(key: string): key is RoleList {
  return (LISTS as readonly string[]).includes(key)
}

/** Returns the names in one of the document's lists (pages, cards); empty if the document does not have this list. */
export function namesInList(document: PermissionsDocument, list: RoleList): readonly string[] {
  const given = Object.hasOwn(document, list) ? document[list] : []
  return Array.isArray(given) ? given : []
}

/** Returns the entries of models in a document, including that of `*`. */
export function modelsIn(document: PermissionsDocument): Array<[string, ModelPermissions]> {
  return Object.entries(document).filter(
    (entry): entry is [string, ModelPermissions] => !isRoleList(entry[0])
  )
}

/** Returns true if two documents have the same permissions. */
export function areSamePermissions(one: PermissionsDocument, other: PermissionsDocument): boolean {
  return JSON.stringify(readPermissions(one)) === JSON.stringify(readPermissions(other))
}

/**
 * Finds the entry that applies to a model in a document: its own, otherwise the entry `*`.
 *
 * @returns undefined if there is none
 */
export function entryOf(
  document: PermissionsDocument,
  model: string
): ModelPermissions | undefined {
  return ownEntryOf(document, model) ?? ownEntryOf(document, ALL)
}

/**
 * Finds the entry of the model itself in a document, without falling back to the entry `*`; undefined if there is none.
 */
export function ownEntryOf(
  document: PermissionsDocument,
  model: string
): ModelPermissions | undefined {
  if (isRoleList(model) || !Object.hasOwn(document, model)) return undefined
  return document[model]
}

function entryErrors(model: string, entry: unknown): string[] {
  if (!isObject(entry)) {
    return [`${model} is ${shown(entry)}, and must be an object, as in {"actions": ["view"]}`]
  }
  const errors = Object.keys(entry as object)
    .filter((key) => !(KEYS as readonly string[]).includes(key))
    .map(
      (key) =>
        `${model} has the key ${shown(key)}, which is none; did you mean ${shown(closest(key, [...KEYS]))}? Keys are ${listed(KEYS)}`
    )
  if (!Object.hasOwn(entry as object, 'actions')) {
    errors.push(`${model} has no actions; a list of none is written as []`)
  }
  for (const key of KEYS) {
    if (!Object.hasOwn(entry as object, key)) continue
    errors.push(...listErrors(`${model}.${key}`, (entry as Record<string, unknown>)[key]))
  }
  return errors
}

function listErrors(place: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [`${place} is ${shown(value)}, and must be a list of names`]
  if (value.length > MOST_NAMES) return [`${place} has more than ${MOST_NAMES} names`]
  return value.flatMap((name) => nameErrors(place, name))
}

function nameErrors(place: string, name: unknown): string[] {
  // eslint-disable-next-line no-control-regex
  const isName = typeof name === 'string' && name !== '' && !/[\u0000-\u001f\u007f]/.test(name)
  if (!isName) return [`${place} has ${shown(name)}, which can't be a name`]
  return name.length > LONGEST_NAME
    ? [`${place} has a name of more than ${LONGEST_NAME} characters`]
    : []
}

function normalised(entry: ModelPermissions): ModelPermissions {
  const { actions, hidden = [], readonly = [], scopes } = entry
  return {
    actions: actions.includes(ALL) ? [ALL] : [...new Set(actions)].toSorted(byAction),
    ...(hidden.length > 0 && { hidden: names(hidden) }),
    ...(readonly.length > 0 && { readonly: names(readonly) }),
    ...(scopes && { scopes: names(scopes) }),
  }
}

function names(given: readonly string[]): string[] {
  return [...new Set(given)].toSorted(inOrder)
}

function byAction(one: string, other: string): number {
  return rank(one) - rank(other) || inOrder(one, other)
}

function rank(action: string): number {
  const index = (ROLE_ACTIONS as readonly string[]).indexOf(action)
  return index < 0 ? ROLE_ACTIONS.length : index
}

function inOrder(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/**
 * Describes permissions, one line for each model: `Film: view, update; without us_gross; title can't be changed; only
 * ownBranch`.
 */
export function permissionsInWords(document: PermissionsDocument): string[] {
  const models = modelsIn(document)
  const isAlone = models.length === 1
  const lines = models.map(([model, entry]) => {
    const name = model === ALL ? (isAlone ? 'All models' : 'All other models') : model
    return `${name}: ${entryInWords(entry)}`
  })
  for (const list of LISTS) {
    const given = namesInList(document, list)
    if (given.length > 0) lines.push(`${LIST_NAMES[list]}: ${listInWords(given)}`)
  }
  return lines.length > 0 ? lines : ['nothing']
}

const LIST_NAMES: Readonly<Record<RoleList, string>> = { pages: 'Pages', cards: 'Cards' }

function listInWords(given: readonly string[]): string {
  return given.includes(ALL) ? 'all' : given.join(', ')
}

function entryInWords({ actions, hidden, readonly, scopes }: ModelPermissions): string {
  if (actions.length === 0) return 'nothing'
  const parts = [actions.includes(ALL) ? 'everything' : actions.join(', ')]
  if (hidden) parts.push(`without ${listed(hidden)}`)
  if (readonly) parts.push(`${listed(readonly)} can't be changed`)
  if (scopes) parts.push(scopes.length > 0 ? `only ${scopes.join(' or ')}` : 'no records')
  return parts.join('; ')
}

/**
 * Digests of the settings that determine which records and fields a user can see, to detect later that the user has
 * lost access to some. Null for a user without restrictions by roles.
 */
export type PermissionsPrint = { roles: string[]; attributes: string } | null

export function permissionsPrint(
  documents: readonly PermissionsDocument[],
  attributes: unknown
): PermissionsPrint {
  return { roles: documents.map(printOf), attributes: printOf(attributes ?? null) }
}

/**
 * Returns true if a user can still see everything as before: every previous role exists unchanged (additional roles
 * only add permissions), and the attributes that scopes use are unchanged.
 *
 * @param before  undefined if it is not known
 */
export function stillAllows(now: PermissionsPrint, before: PermissionsPrint | undefined): boolean {
  if (now === null) return true
  if (!before || before.attributes !== now.attributes) return false
  return before.roles.every((role) => now.roles.includes(role))
}

function printOf(value: unknown): string {
  return digest(JSON.stringify(value), 'base64url')
}
