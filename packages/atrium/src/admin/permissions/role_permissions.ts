import logger from '@adonisjs/core/services/logger'
import type { Scope, GrantedOperation, Actor, Resource } from '#crud'
import { type Grant, isExcludedFromInclude, type Permissions } from '#crud/internals'
import { isTransitionName } from '#base/columns/transitions'
import { dialectOf } from '#base/database/dialects'
import AdminRole from '../models/admin_role.js'
import { jsonColumn } from '../models/admin_model.js'
import {
  ALL,
  entryOf,
  namesInList,
  type ModelPermissions,
  ownEntryOf,
  type PermissionsDocument,
  type RoleList,
  OWN_TOKENS,
  readPermissions,
  permissionsPrint,
  type PermissionsPrint,
} from '../models/permissions_document.js'
import { personOf, UNKNOWN, type Person } from '../identity/person.js'
import { BoundedMap } from '#base/bounded_map'
import { currentClientOf } from '../config/database_config.js'

/** Engine operations of each action. Actions without an entry, such as `export`, are checked by this class alone. */
const OPERATIONS: Readonly<Record<string, readonly GrantedOperation[]>> = {
  view: ['read', 'read_multi'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  purge: ['db_delete'],
  restore: ['restore'],
}

/** Returns the scopes of a model by name; undefined if the model has none. */
type ScopesOf = (model: string) => Readonly<Record<string, Scope>> | undefined

/** Combined permissions of all roles on a model. */
interface OnModel {
  /** One per role that allows anything, without those that another grant covers */
  readonly grants: readonly Grant[]
  readonly actions: ReadonlySet<string> | 'all'
  /**
   * Returns the scopes of an action. A record is visible if any of them includes it; null: all records, `[]`: none
   */
  scopesFor(action: string): readonly Scope[] | null
}

interface Entry {
  actions: ReadonlySet<string> | 'all'
  scopes: readonly Scope[] | null
}

/** Combined permissions of several roles, compiled once per model. */
export class CompiledPermissions {
  readonly #models = new Map<string, OnModel>()

  constructor(
    readonly documents: readonly PermissionsDocument[],
    private readonly scopesOf: ScopesOf
  ) {}

  on(model: string): OnModel {
    let found = this.#models.get(model)
    if (!found) this.#models.set(model, (found = this.#compile(model)))
    return found
  }

  /**
   * Returns true if a role allows the action in an entry for this very model; the entry `*` for all other models is
   * ignored.
   */
  names(model: string, action: string): boolean {
    return this.documents.some((document) => {
      const entry = ownEntryOf(document, model)
      return entry?.actions.some((one) => one === action || one === ALL) ?? false
    })
  }

  /** Returns true if a role lists a page or a card, or all of them. */
  lists(list: RoleList, name: string): boolean {
    return this.documents.some((document) => {
      const listed = namesInList(document, list)
      return listed.includes(name) || listed.includes(ALL)
    })
  }

  #compile(model: string): OnModel {
    const own = this.scopesOf(model) ?? {}
    const said = this.documents.flatMap((document) => entryOf(document, model) ?? [])
    const entries = said.map((entry) => compiledEntry(entry, own))
    const grants = said.flatMap((entry, index) => grantOf(entry, entries[index]) ?? [])
    return {
      grants: withoutCovered(grants),
      actions: entries.some(({ actions }) => actions === 'all')
        ? 'all'
        : new Set(entries.flatMap(({ actions }) => [...(actions as ReadonlySet<string>)])),
      scopesFor: (action) => {
        const allowing = entries.filter(({ actions }) => actions === 'all' || actions.has(action))
        if (allowing.some(({ scopes }) => scopes === null)) return null
        return [...new Set(allowing.flatMap(({ scopes }) => scopes!))]
      },
    }
  }
}

function compiledEntry({ actions, scopes }: ModelPermissions, own: Record<string, Scope>): Entry {
  return {
    actions: actions.includes(ALL) ? 'all' : new Set(actions),
    scopes: scopes ? scopes.flatMap((name) => (Object.hasOwn(own, name) ? own[name] : [])) : null,
  }
}

function grantOf(entry: ModelPermissions, { actions, scopes }: Entry): Grant | undefined {
  const operations =
    actions === 'all' ? actions : new Set([...actions].flatMap((name) => operationsOf(name)))
  if (operations !== 'all' && operations.size === 0) return undefined
  return {
    operations,
    hidden: new Set(entry.hidden),
    readonly: new Set(entry.readonly),
    transitions: actions === 'all' ? actions : new Set([...actions].filter(isTransitionName)),
    scopes,
  }
}

function operationsOf(action: string): readonly GrantedOperation[] {
  return Object.hasOwn(OPERATIONS, action) ? OPERATIONS[action] : []
}

/** Removes grants that another grant covers, as they would only make queries longer. */
function withoutCovered(grants: readonly Grant[]): Grant[] {
  return grants.filter(
    (one, index) =>
      !grants.some(
        (other, place) =>
          place !== index && covers(other, one) && (place < index || !covers(one, other))
      )
  )
}

function covers(one: Grant, other: Grant): boolean {
  const unwritable = new Set([...other.hidden, ...other.readonly])
  return (
    coversOperations(one, other) &&
    coversRecords(one, other) &&
    coversTransitions(one, other) &&
    [...one.hidden].every((name) => other.hidden.has(name)) &&
    [...one.readonly].every((name) => unwritable.has(name))
  )
}

function coversOperations({ operations: one }: Grant, { operations: other }: Grant): boolean {
  if (one === 'all') return true
  return other !== 'all' && [...other].every((operation) => one.has(operation))
}

function coversTransitions({ transitions: one }: Grant, { transitions: other }: Grant): boolean {
  if (one === 'all' || other === undefined) return true
  return other !== 'all' && [...other].every((name) => one?.has(name))
}

function coversRecords({ scopes: one }: Grant, { scopes: other }: Grant): boolean {
  if (one === null) return true
  return other !== null && other.every((scope) => one.includes(scope))
}

const MOST_USERS = 2000
const MOST_ROLE_SETS = 500

const ROLES_OF_USER = `select admin_roles.id as id, admin_roles.permissions as permissions
  from admin_roles join admin_user_roles on admin_user_roles.role_id = admin_roles.id
  where admin_user_roles.user_id = ? order by admin_roles.id`

const ROLE = 'select id, permissions from admin_roles where id = ?'

interface Known {
  version: number
  permissions: Promise<CompiledPermissions>
}

/** The parts of the site that permissions use. */
interface GovernedSite {
  readonly models: ReadonlyMap<
    string,
    { readonly adminModel: boolean; readonly options: { scopes?: Record<string, Scope> } }
  >
}

/**
 * Decides what users are allowed to do by their roles. No other code decides that. The roles of a user are read once
 * per `permissions_version`, which is read with the user, so a change takes effect with the next request, in every
 * process.
 */
export class RolePermissions implements Permissions {
  readonly #users = new BoundedMap<number, Known>(MOST_USERS)
  readonly #roleSets = new BoundedMap<string, CompiledPermissions>(MOST_ROLE_SETS)

  constructor(private readonly site: GovernedSite) {}

  /**
   * Returns the grants of the actor's roles on a model, for the engine.
   *
   * @returns null if the actor is not restricted; `[]` if the actor has no permissions on the model
   */
  async grantsOf(
    actor: Actor,
    { model, name }: Pick<Resource, 'model' | 'name'>
  ): Promise<readonly Grant[] | null> {
    const person = await restricted(actor)
    if (!person) return null
    if (isExcludedFromInclude(model)) return []
    const { grants } = await this.#on(person, name)
    return grants
  }

  /** Returns true if roles restrict the actor. */
  async restricts(actor: Actor): Promise<boolean> {
    return (await restricted(actor)) !== null
  }

  /**
   * Returns true if the actor is allowed to perform the action on at least one record. For actions that are not
   * operations of the engine.
   *
   * @param model   class name of the model, such as `Film`
   * @param action  `export` or the like, or the name of a bulk action
   */
  async mayDo(actor: Actor, model: string, action: string): Promise<boolean> {
    const actions = await this.actionsOf(actor, model)
    return actions === 'all' || actions.has(action)
  }

  /** Returns all actions that the actor is allowed to perform on at least one record of a model. */
  async actionsOf(actor: Actor, model: string): Promise<ReadonlySet<string> | 'all'> {
    const person = await restricted(actor)
    if (!person) return 'all'
    if (this.#isOwn(model)) return NOTHING
    const { actions } = await this.#on(person, model)
    return actions
  }

  /**
   * Returns true if the actor is allowed to create access tokens for themselves. Tokens are an internal model, so a
   * role needs an entry for it; `*` does not include it.
   */
  async mayMakeTokens(actor: Actor): Promise<boolean> {
    const person = await restricted(actor)
    if (!person) return true
    const permissions = await this.#of(person)
    return permissions.names(OWN_TOKENS, 'create')
  }

  /**
   * Returns true if the actor is allowed to open a page, or to see a card, of the application. The entry `*` for models
   * does not include them.
   *
   * @param name  permission of the page or the card
   */
  async mayOpen(actor: Actor, list: RoleList, name: string): Promise<boolean> {
    const person = await restricted(actor)
    if (!person) return true
    const permissions = await this.#of(person)
    return permissions.lists(list, name)
  }

  /**
   * Returns the scopes in which the actor is allowed to perform an action.
   *
   * @returns scopes, any of which can include a record; null: all records, `[]`: none
   */
  async reachOf(actor: Actor, model: string, action: string): Promise<readonly Scope[] | null> {
    const person = await restricted(actor)
    if (!person) return null
    if (this.#isOwn(model)) return []
    const onModel = await this.#on(person, model)
    return onModel.scopesFor(action)
  }

  /** Returns a digest of the permissions that determine which records and fields the actor can see. */
  async printOf(actor: Actor): Promise<PermissionsPrint> {
    const person = await restricted(actor)
    if (!person) return null
    const { documents } = await this.#of(person)
    const user = person.user ?? (actor as { user?: { attributes?: unknown } }).user
    return permissionsPrint(documents, user?.attributes)
  }

  /** Returns true if the actor is allowed to perform the action on all records of the model. */
  async reachesAll(actor: Actor, model: string, action: string): Promise<boolean> {
    return (await this.reachOf(actor, model, action)) === null
  }

  /** Returns the combined permissions of roles; cached, so the same roles return the same object. */
  compile(documents: readonly PermissionsDocument[]): CompiledPermissions {
    const id = JSON.stringify(documents)
    let compiled = this.#roleSets.get(id)
    if (!compiled) {
      compiled = new CompiledPermissions(documents, (model) => this.#scopesOf(model))
      this.#roleSets.set(id, compiled)
    }
    return compiled
  }

  async #on(person: Person, model: string): Promise<OnModel> {
    const permissions = await this.#of(person)
    return permissions.on(model)
  }

  async #of({ id, permissionsVersion: version, viewedRole }: Person): Promise<CompiledPermissions> {
    if (viewedRole !== undefined) return await this.#ofRole(viewedRole)
    if (id === UNKNOWN.id) return this.compile([])
    const known = this.#users.get(id)
    if (known?.version === version) return await known.permissions
    const permissions = this.#load(id)
    this.#users.set(id, { version, permissions })
    /* Not cached after an error, so that the next request tries again. */
    permissions.catch(() => this.#users.delete(id))
    return await permissions
  }

  /** Reads the current permissions of a role; a deleted role has none. */
  async #ofRole(id: number): Promise<CompiledPermissions> {
    const client = currentClientOf(AdminRole)
    const rows = await dialectOf(client).selectRows(client, ROLE, [id])
    return this.compile(rows.map(documentIn).filter((document) => document !== null))
  }

  async #load(userId: number): Promise<CompiledPermissions> {
    const client = currentClientOf(AdminRole)
    const rows = await dialectOf(client).selectRows(client, ROLES_OF_USER, [userId])
    return this.compile(rows.map(documentIn).filter((document) => document !== null))
  }

  #isOwn(model: string): boolean {
    return this.site.models.get(model)?.adminModel ?? false
  }

  #scopesOf(model: string): Readonly<Record<string, Scope>> | undefined {
    return this.site.models.get(model)?.options.scopes
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** Returns the user if the user's permissions depend on roles, otherwise null. */
async function restricted(actor: Actor): Promise<Person | null> {
  const person = await personOf(actor)
  return person?.isSuperuser ? null : person
}

/** Parses the permissions of a role. Invalid JSON in the database means no permissions. */
function documentIn({ id, permissions }: Record<string, unknown>): PermissionsDocument | null {
  try {
    return readPermissions(jsonColumn.consume(permissions))
  } catch (error) {
    logger.error({ err: error, role: id }, 'The permissions of a role are none: it allows nothing')
    return null
  }
}
