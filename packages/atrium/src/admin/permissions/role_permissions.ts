import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { Actor, Scope, Resource } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { type Grant, isExcludedFromInclude, type Permissions } from '#crud/internals'
import AdminRole from '../models/admin_role.js'
import { jsonColumn } from '../models/json_column.js'
import { BoundedMap } from './bounded_map.js'
import { CompiledPermissions, type OnModel } from './compiled_permissions.js'
import { OWN_TOKENS, readPermissions, type PermissionsDocument } from './document.js'
import { permissionsPrint, type PermissionsPrint } from './permissions_print.js'
import { personOf, UNKNOWN, type Person } from './person.js'

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

/** The models of the site, as far as permissions look at them. */
interface GovernedSite {
  readonly models: ReadonlyMap<
    string,
    { readonly adminModel: boolean; readonly options: { scopes?: Record<string, Scope> } }
  >
}

/**
 * Decides what users may do by their roles; nothing else decides it. The roles of a user are read once
 * for each `permissions_version`, which comes with the user's row, so that a change counts with the next
 * request, in every process. [U1 to U4]
 */
export class RolePermissions implements Permissions {
  readonly #users = new BoundedMap<number, Known>(MOST_USERS)
  readonly #roleSets = new BoundedMap<string, CompiledPermissions>(MOST_ROLE_SETS)

  constructor(private readonly site: GovernedSite) {}

  /**
   * For the engine: what the actor's roles allow on a model.
   *
   * @returns null where the actor is not restricted; `[]` where they may do nothing
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

  /**
   * Returns true if roles restrict the actor.
   */
  async restricts(actor: Actor): Promise<boolean> {
    return (await restricted(actor)) !== null
  }

  /**
   * For all that is not an operation of the engine: may the actor do it with the model, on any record?
   *
   * @param model   as the site calls it, as in `Film`
   * @param action  as in `export`, or the name of a bulk action
   */
  async mayDo(actor: Actor, model: string, action: string): Promise<boolean> {
    const actions = await this.actionsOf(actor, model)
    return actions === 'all' || actions.has(action)
  }

  /**
   * All that the actor may do with a model, on any record.
   */
  async actionsOf(actor: Actor, model: string): Promise<ReadonlySet<string> | 'all'> {
    const person = await restricted(actor)
    if (!person) return 'all'
    if (this.#isOwn(model)) return NOTHING
    const { actions } = await this.#on(person, model)
    return actions
  }

  /**
   * May the actor make access tokens of their own? They are the site's own model, so a role has to name it;
   * `*` does not mean it. [U7]
   */
  async mayMakeTokens(actor: Actor): Promise<boolean> {
    const person = await restricted(actor)
    if (!person) return true
    const permissions = await this.#of(person)
    return permissions.names(OWN_TOKENS, 'create')
  }

  /**
   * On which records the actor may do it.
   *
   * @returns scopes, any of which reaches a record; null: all records, `[]`: none
   */
  async reachOf(actor: Actor, model: string, action: string): Promise<readonly Scope[] | null> {
    const person = await restricted(actor)
    if (!person) return null
    if (this.#isOwn(model)) return []
    const onModel = await this.#on(person, model)
    return onModel.scopesFor(action)
  }

  /**
   * A print of what decides which records and fields the actor can see.
   */
  async printOf(actor: Actor): Promise<PermissionsPrint> {
    const person = await restricted(actor)
    if (!person) return null
    const { documents } = await this.#of(person)
    const user = person.user ?? (actor as { user?: { attributes?: unknown } }).user
    return permissionsPrint(documents, user?.attributes)
  }

  /**
   * Returns true if the actor may do it on all records of the model.
   */
  async reachesAll(actor: Actor, model: string, action: string): Promise<boolean> {
    return (await this.reachOf(actor, model, action)) === null
  }

  /**
   * Permissions of roles together; the same object for the same roles.
   */
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
    /* Asked again by the next request */
    permissions.catch(() => this.#users.delete(id))
    return await permissions
  }

  /** As the role is now; one that is gone allows nothing. */
  async #ofRole(id: number): Promise<CompiledPermissions> {
    const client = db.connection(AdminRole.connection)
    const rows = await dialectOf(client).selectRows(client, ROLE, [id])
    return this.compile(rows.map(documentIn).filter((document) => document !== null))
  }

  async #load(userId: number): Promise<CompiledPermissions> {
    const client = db.connection(AdminRole.connection)
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

/** The user, if roles say what they may do. */
async function restricted(actor: Actor): Promise<Person | null> {
  const person = await personOf(actor)
  return person?.isSuperuser ? null : person
}

/** A role that somebody has spoilt in the database allows nothing. */
function documentIn({ id, permissions }: Record<string, unknown>): PermissionsDocument | null {
  try {
    return readPermissions(jsonColumn.consume(permissions))
  } catch (error) {
    logger.error({ err: error, role: id }, 'The permissions of a role are none: it allows nothing')
    return null
  }
}
