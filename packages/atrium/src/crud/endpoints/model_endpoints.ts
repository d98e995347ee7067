import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import { noteTag } from '../http/preconditions.js'
import type { UpdateOptions } from '../operations/call_options.js'
import type { Item, Access, EndpointName, ColumnSettings } from '../types.js'
import { actorOf } from './access.js'
import { handleDeleteMany, handleUpdateMany } from './handlers/bulk_handlers.js'
import { checkAccess, checkEndpointNames, checkOptions } from '../checks.js'
import { LucidCrud } from '../lucid_crud.js'
import { isRead, OPERATIONS, type Operation } from '../operations/operation.js'
import { Resource } from '../resource/resource.js'
import { crudConfig } from '../settings.js'
import { EndpointAccess } from './endpoint_access.js'
import type { EndpointMount, ModelEndpointOptions, EndpointOptions } from './endpoint_options.js'
import {
  checkCollisions,
  generatedEndpoints,
  type GeneratedEndpoint,
  offeredOperations,
} from './generated_endpoints.js'
import { checkBatch, checkBulk } from './batch/batch_options.js'
import { modelPath, tablePath, RoutePlan } from './endpoint_routes.js'
import { deprecationHeaders } from '../http/deprecation.js'
import { readOnlyNote } from '../resource/model_table.js'
import { shown, ValueError } from '#base/errors'

/** Returns the column settings: options of the endpoints override those of the CRUD object. */
export function settingsOf({ crud, ...options }: EndpointOptions): ColumnSettings {
  const carried = crud instanceof LucidCrud ? crud.settings : {}
  return {
    isDeletedColumn: options.isDeletedColumn ?? carried.isDeletedColumn,
    deletedAtColumn: options.deletedAtColumn ?? carried.deletedAtColumn,
    updatedAtColumn: options.updatedAtColumn ?? carried.updatedAtColumn,
  }
}

/**
 * Creates the resource and the CRUD object of a model's endpoints from the same options, wherever they are mounted.
 *
 * @throws ValueError, TypeError or RuntimeError  for invalid options
 */
export function resourceAndCrud(options: ModelEndpointOptions): {
  resource: Resource
  crud: LucidCrud
} {
  checkOptions(options)
  const resource = new Resource({ ...options, ...settingsOf(options) })
  return { resource, crud: crudOf(options, resource) }
}

/**
 * Returns the CRUD object for the option `crud`: the object itself, or an instance of the class.
 *
 * @throws ValueError  when the option is not a `LucidCrud`, or belongs to another model
 */
export function crudOf({ crud = LucidCrud }: EndpointOptions, resource: Resource): LucidCrud {
  const { model, name } = resource
  const object = isSubclass(crud, LucidCrud) ? new crud(model) : crud
  if (!(object instanceof LucidCrud)) {
    throw new ValueError(
      `${name}: crud is ${shown(crud)}, and must be a LucidCrud, or a subclass of it`
    )
  }
  if (object.model !== model) {
    throw new ValueError(`${name}: crud is one for ${object.model?.name}, and must be for ${name}`)
  }
  return object.bind(resource) as unknown as LucidCrud
}

function isSubclass<Class>(value: unknown, base: Class): value is Class {
  return value === base || (value as any)?.prototype instanceof (base as any)
}

const WRITE_OPTIONS = ['createSchema', 'updateSchema', 'deleteSchema', 'batch', 'bulk'] as const

/** The endpoints of a model: its operations, paths and access rules. */
class ModelEndpoints {
  readonly resource: Resource
  readonly crud: LucidCrud
  /** Path of the endpoints with the prefix, such as `/api/products` */
  readonly path: string
  protected readonly options: ModelEndpointOptions
  readonly #operations: ReadonlySet<Operation>
  /** Mount of the endpoints, if they are not at the path of the options */
  protected readonly mounted: EndpointMount | undefined
  /** Access check for callers */
  protected readonly callers: EndpointAccess
  protected readonly generated: readonly GeneratedEndpoint[]
  protected readonly plan: RoutePlan
  /** Sets the headers of deprecated endpoints */
  protected readonly setHeaders: ((ctx: HttpContext) => void) | undefined

  /**
   * @param mount  given if the endpoints are mounted at another path than that of the options
   * @throws ValueError, TypeError or RuntimeError  for invalid options
   */
  constructor(options: ModelEndpointOptions, mount?: EndpointMount) {
    if (mount) checkOptions(options)
    this.options = { ...options, ...settingsOf(options) }
    this.mounted = mount
    const { crud, resource } = mount ?? resourceAndCrud(this.options)
    this.crud = crud
    this.resource = resource
    const { name, key } = resource
    checkAccess(name, options.access)
    this.setHeaders = options.deprecated && deprecationHeaders(name, options.deprecated)
    this.path = mount?.path ?? crudConfig().prefix + modelPath(options.path, this.resource)
    this.callers = new EndpointAccess(this, mount)
    this.#operations = mount ? new Set(mount.operations) : offeredOperations(name, options)
    checkEndpointNames(name, options)
    if (options.bulk && !mount) checkBulk(name, this.operations)
    if (options.batch) checkBatch(this.resource, mount ? undefined : this.operations)
    this.generated = generatedEndpoints(this.operations, options.endpointNames, key.pattern, {
      ...options,
      isJsonServer: this.isJsonServer,
    })
    checkCollisions(name, this.path, this.generated)
    /* On a mount, a custom route exists only if its operation is offered. */
    this.plan = new RoutePlan(name, this.path, (one) => !mount || this.#operations.has(one))
  }

  /**
   * The operations that this model offers; only reads, once the table is known to be a view or to have no
   * unique key.
   */
  get operations(): readonly Operation[] {
    const { readOnly } = this.resource
    return OPERATIONS.filter((one) => this.#operations.has(one) && (!readOnly || isRead(one)))
  }

  /** True if the endpoints understand the dialect of json-server. Those that are mounted elsewhere do not. */
  get isJsonServer(): boolean {
    return (
      !this.mounted && [...(this.options.compat ?? crudConfig().compat)].includes('json-server')
    )
  }

  /** Access to an operation. */
  accessOf(operation: Operation): Access {
    return this.#ownAccess(operation) ?? crudConfig().access
  }

  /** True if only the configuration sets the access to an operation, not the model. */
  isAccessDefault(operation: Operation): boolean {
    return this.#ownAccess(operation) === undefined
  }

  /** True if an operation requires a token because its access is not set in the model or the configuration. */
  isUndecided(operation: Operation): boolean {
    const { access, isAccessDecided } = crudConfig()
    return this.isAccessDefault(operation) && access === 'token' && !isAccessDecided
  }

  /**
   * Reason why the endpoints are read-only despite the model's options, for a warning at boot; null if there is none
   */
  get readOnlyNote(): string | null {
    const { readOnly } = this.resource
    if (!readOnly) return null
    const ignored = WRITE_OPTIONS.filter((name) => this.options[name])
    return readOnly === 'view' && ignored.length === 0 ? null : readOnlyNote(this.resource, ignored)
  }

  /** True if the endpoints are at their default path. */
  get isAtTablePath(): boolean {
    return this.path === crudConfig().prefix + tablePath(this.resource)
  }

  /** Name of the array in a list's response. */
  get responseKey(): string {
    return this.options.responseKey ?? 'data'
  }

  /** True if the endpoints are announced to be removed. */
  get isDeprecated(): boolean {
    return this.setHeaders !== undefined
  }

  /** Path of the list; undefined if there is none. */
  get listPath(): string | undefined {
    return this.pathOf('read_multi')
  }

  /** True if the application chooses the client that reads the items. */
  get hasOwnSession(): boolean {
    return this.options.session !== undefined
  }

  /** Returns the full path of an endpoint; undefined if it does not exist. */
  protected pathOf(endpoint: EndpointName): string | undefined {
    const found = this.generated.find(({ name }) => name === endpoint)
    return found && this.path + found.path
  }

  #ownAccess(operation: Operation): Access | undefined {
    const { access } = this.options
    return typeof access === 'object' ? access[operation] : access
  }

  /** Returns the path of a created item, if the model offers reading. */
  protected locationOf(key: KeyValue): string | undefined {
    const { key: keys } = this.resource
    const read = this.pathOf('read')
    return read && read.slice(0, -keys.pattern.length) + keys.toPath(key)
  }
}

/**
 * The database calls of the write endpoints, which a subclass of `EndpointCreator` can override, and the endpoints that
 * write all items that match.
 */
export abstract class ItemWrites extends ModelEndpoints {
  /** Returns the client and the actor of the request. */
  protected abstract callOptions(ctx: HttpContext): UpdateOptions

  /** PATCH without a key: changes all items that match the filters. */
  async updateItems(ctx: HttpContext): Promise<{ updated: number }> {
    return await handleUpdateMany(ctx, {
      ...(await this.#bulkOf(ctx)),
      change: (key, values) => this.changeItem(key, values, false, ctx),
      isOverridden: this.changeItem !== ItemWrites.prototype.changeItem,
    })
  }

  /** DELETE without a key: deletes all items that match the filters. */
  async deleteItems(ctx: HttpContext): Promise<{ deleted: number }> {
    return await handleDeleteMany(ctx, {
      ...(await this.#bulkOf(ctx)),
      remove: (key) => this.removeItem(key, ctx),
      isOverridden: this.removeItem !== ItemWrites.prototype.removeItem,
    })
  }

  /** Performs the database call of `createItem` and `batchItems`. */
  protected insertItem(values: Record<string, unknown>, ctx: HttpContext): Promise<Item> {
    return this.crud.create(values, this.callOptions(ctx))
  }

  /** Performs the database call of `updateItem` and `batchItems`. */
  protected async changeItem(
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean,
    ctx: HttpContext
  ): Promise<Item | null> {
    const written = (await this.callers.mayRead(ctx))
      ? (item: Item) => noteTag(ctx, item)
      : undefined
    return await this.crud.update(key, values, { ...this.callOptions(ctx), returning, written })
  }

  /** Performs the database call of `deleteItem` and `batchItems`. */
  protected removeItem(key: KeyValue, ctx: HttpContext): Promise<void> {
    return this.crud.delete(key, this.callOptions(ctx))
  }

  /** Performs the database call of `dbDelete`. */
  protected purgeItem(key: KeyValue, ctx: HttpContext): Promise<void> {
    return this.crud.dbDelete(key, this.callOptions(ctx))
  }

  async #bulkOf(ctx: HttpContext) {
    return {
      access: this.callers,
      crud: this.crud,
      operations: this.operations,
      resource: await this.resource.for(actorOf(ctx)),
      callOptions: () => this.callOptions(ctx),
    }
  }
}
