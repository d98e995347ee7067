import { closest } from 'fastest-levenshtein'
import { ValueError } from '#crud'
import { isObject } from '#base/checks'
import { listed, shown } from '#base/errors'
import { digest } from '#base/values/digest'

/** The actions that every model has; bulk actions are called by their names. [U2] */
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

/** Stands for all models of the application, and for all actions. */
export const ALL = '*'

/** The one model of the site's own that a role can say something of: access tokens of one's own. [U7] */
export const OWN_TOKENS = 'AdminAccessToken'

/**
 * Permissions of a role on one model. [U2, U6]
 */
export interface ModelPermissions {
  /** As in `view`, or `*` for all */
  readonly actions: readonly string[]
  /** Names in the API of the fields that are not shown */
  readonly hidden?: readonly string[]
  /** Names in the API of the fields that are not written */
  readonly readonly?: readonly string[]
  /** Names of scopes, any of which reaches a record; undefined: all records */
  readonly scopes?: readonly string[]
}

/**
 * Permissions of a role, by model name. The entry of a model replaces that of `*`.
 */
export type PermissionsDocument = Readonly<Record<string, ModelPermissions>>

const KEYS = ['actions', 'hidden', 'readonly', 'scopes'] as const
const LONGEST_NAME = 100
const MOST_MODELS = 1000
const MOST_NAMES = 500

/**
 * All that is wrong with permissions.
 */
export class InvalidPermissions extends ValueError {
  constructor(readonly errors: readonly string[]) {
    super(errors.join('; '))
  }
}

/**
 * Reads permissions. Names of models, fields, actions and scopes may be any: the model may come later.
 *
 * @returns them in the form that the same permissions always have
 * @throws InvalidPermissions  with all errors, each of which names model and key
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
  const errors = entries.flatMap(([model, entry]) => [
    ...nameErrors('permissions', model),
    ...entryErrors(model, entry),
  ])
  if (errors.length > 0) throw new InvalidPermissions(errors)
  return Object.fromEntries(
    entries
      .toSorted(
        ([one], [other]) => Number(one === ALL) - Number(other === ALL) || inOrder(one, other)
      )
      .map(([model, entry]) => [model, normalised(entry)])
  )
}

/**
 * Returns true if two documents have the same permissions.
 */
export function areSamePermissions(one: PermissionsDocument, other: PermissionsDocument): boolean {
  return JSON.stringify(readPermissions(one)) === JSON.stringify(readPermissions(other))
}

/**
 * Finds the entry of a model in a document.
 *
 * @returns undefined where it says nothing
 */
export function entryOf(
  document: PermissionsDocument,
  model: string
): ModelPermissions | undefined {
  if (Object.hasOwn(document, model)) return document[model]
  return Object.hasOwn(document, ALL) ? document[ALL] : undefined
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
 * Describes permissions, one line for each model: `Film: view, update; without us_gross; title can't be
 * changed; only ownBranch`. [U6]
 */
export function permissionsInWords(document: PermissionsDocument): string[] {
  const models = Object.entries(document)
  if (models.length === 0) return ['nothing']
  const isAlone = models.length === 1
  return models.map(([model, entry]) => {
    const name = model === ALL ? (isAlone ? 'All models' : 'All other models') : model
    return `${name}: ${entryInWords(entry)}`
  })
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
 * Digests of what decides which records and fields a user can see, to notice later that they have lost some of them.
 * Null for a user without restrictions by roles.
 */
export type PermissionsPrint = { roles: string[]; attributes: string } | null

export function permissionsPrint(
  documents: readonly PermissionsDocument[],
  attributes: unknown
): PermissionsPrint {
  return { roles: documents.map(printOf), attributes: printOf(attributes ?? null) }
}

/**
 * True if a user can still see all that they could see before: every role is there unchanged, as further roles only add
 * to them, and so are the attributes that scopes compare with.
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
