import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { engineRouter } from '#base/http/engine_router'
import { toApi } from '#base/values/to_api'
import { responseBudgetOf } from '../http/response_budget.js'
import { IdempotentBatch, IdempotentCreate } from '../http/idempotency.js'
import { JSON_TYPE, LIST_FORMATS, listFormatOf, nameItems } from '../http/list_format.js'
import { preconditionOf, replyItem, replyList } from '../http/preconditions.js'
import { transactionOf } from '../http/request_transaction.js'
import { LucidCrud } from '../lucid_crud.js'
import type { ListResult } from '../operations/lists/list_result.js'
import type { Operation } from '../operations/operation.js'
import { orderedParts } from '../operations/lists/list_batches.js'
import { Records } from '../operations/records.js'
import type { ListRequest } from '../request/list_request.js'
import type { KeyValue } from '#base/columns/key'
import type { IncludedRelation } from '../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { AggregateRow } from '../sql/aggregates.js'
import type { Item } from '../types.js'
import { actorOf } from './access.js'
import { originOf, RequestValue } from '#base/http/request'
import { ItemWrites } from './model_endpoints.js'
import { isWritten, type CustomRoute, type EndpointRoute } from './endpoint_options.js'
import { markMounted } from './generated_routes.js'
import { checkBulkHandler, checkHandlers, middlewareOf } from './batch/batch_options.js'
import { handleBatch } from './handlers/batch_handler.js'
import { handleCreate, handleDelete, handleRead, handleUpdate } from './handlers/item_handlers.js'
import {
  bareList,
  handleAggregate,
  handleExport,
  handleList,
  noteTotal,
} from './handlers/list_handlers.js'
import { registerRoute } from './endpoint_routes.js'

/** Overridable handlers by endpoint */
const HANDLERS: Partial<Record<string, keyof EndpointCreator>> = {
  create: 'createItem',
  read: 'readItem',
  update: 'updateItem',
  put: 'updateItem',
  delete: 'deleteItem',
  db_delete: 'dbDelete',
  batch: 'batchItems',
  aggregate: 'aggregateItems',
}

/**
 * Creates the endpoints of one model. A subclass adds routes in `addRoutesToRouter`, or changes an operation by
 * overriding its handler or only the handler's database call.
 *
 * @example
 * ```ts
 * class FilmEndpoints extends EndpointCreator {
 *   addRoutesToRouter() {
 *     super.addRoutesToRouter()
 *     this.addCustomRoute({ method: 'GET', path: '/custom', handler: () => ({ hello: 'films' }) })
 *   }
 * }
 * ```
 */
export class EndpointCreator extends ItemWrites {
  readonly #idempotentCreate = new IdempotentCreate(this.resource, this.path)
  readonly #idempotentBatch = new IdempotentBatch(this.resource, `${this.path}/batch`)
  #isPlanned = false
  /*
   * The includes of a read of one item. They are not a parameter of `fetchItem`, because subclasses rely on its
   * existing parameters.
   */
  readonly #includes = new RequestValue<readonly IncludedRelation[]>('includes')
  /* Clients of exports, which read all parts of a list from one snapshot. */
  readonly #snapshots = new RequestValue<QueryClientContract>('snapshot')

  /**
   * Adds the routes of the model's operations. Overridable: call `super` and add your own.
   */
  addRoutesToRouter(): void {
    const handlers: Record<Operation, (ctx: HttpContext) => unknown> = {
      create: (ctx) => this.createItem(ctx),
      read: async (ctx) => replyItem(ctx, await this.readItem(ctx)),
      read_multi: (ctx) => this.#replyList(ctx),
      update: (ctx) => this.updateItem(ctx),
      delete: (ctx) => this.deleteItem(ctx),
      db_delete: (ctx) => this.dbDelete(ctx),
    }
    const others: Partial<Record<string, (ctx: HttpContext) => unknown>> = {
      batch: (ctx) => this.batchItems(ctx),
      aggregate: (ctx) => this.aggregateItems(ctx),
      update_many: (ctx) => this.updateItems(ctx),
      delete_many: (ctx) => this.deleteItems(ctx),
    }
    for (const route of this.generated) {
      const { operation, operations = [operation] } = route
      if (route.operations) checkHandlers(this, EndpointCreator.prototype, route.operations)
      checkBulkHandler(this, EndpointCreator.prototype, route.name, operation)
      this.plan.add({
        ...route,
        isCustom: false,
        types: this.#typesOf(route.name),
        handler: others[route.name] ?? handlers[operation],
        middleware: middlewareOf(this.options, operations),
      })
    }
  }

  /**
   * Adds a custom route below the model's path. It is registered before the generated routes, so that GET `/custom` is
   * never read as an id.
   */
  addCustomRoute(route: CustomRoute): void {
    this.plan.addCustom(route)
  }

  /**
   * Collects the routes.
   *
   * @throws ValueError  when two routes have the same method and path
   */
  planRoutes(): void {
    if (this.#isPlanned) return
    this.addRoutesToRouter()
    this.plan.check()
    this.#isPlanned = true
  }

  /**
   * The routes that `register` adds to the router, in the same order.
   *
   * @throws ValueError  when two routes have the same method and path
   */
  get routes(): readonly EndpointRoute[] {
    this.planRoutes()
    const { readOnly } = this.resource
    return this.plan.described.filter((route) => !readOnly || !isWritten(route))
  }

  /**
   * Adds the routes to the engine's router. For mounted endpoints, the owner of the mount handles unknown paths.
   *
   * @throws ValueError  when two routes have the same method and path
   */
  register(): void {
    this.planRoutes()
    if (this.mounted) return this.#registerRoutes()
    markMounted(this.path)
    engineRouter().later([this.path], () => this.#registerRoutes())
  }

  #registerRoutes(): void {
    for (const route of this.plan.offered) {
      registerRoute(route, {
        ...this.#target,
        base: this.path,
        path: this.plan.fullPath(route.path),
        /* For mounted endpoints, the owner of the mount limits the request rate. */
        isLimited: !this.mounted,
        owner: this,
        setHeaders: this.setHeaders,
      })
    }
  }

  /**
   * POST: stores the body as a new item, once for each `Idempotency-Key`.
   */
  async createItem(ctx: HttpContext): Promise<void> {
    await handleCreate(ctx, {
      ...(await this.#targetOf(ctx)),
      idempotentCreate: this.#idempotentCreate,
      callOptions: () => this.callOptions(ctx),
      insert: (values) => this.insertItem(values, ctx),
      locationOf: (key) => this.locationOf(key),
    })
  }

  /**
   * GET with a key: returns one item.
   */
  async readItem(ctx: HttpContext): Promise<Item> {
    return await handleRead(ctx, {
      ...(await this.#targetOf(ctx)),
      key: () => this.keyOf(ctx),
      fetch: (key, deleted, include) => {
        this.#includes.set(ctx, include)
        return this.fetchItem(key, deleted, ctx)
      },
    })
  }

  /** GET without a key: returns the list. */
  async readItems(ctx: HttpContext): Promise<ListResult> {
    return await handleList(ctx, {
      ...(await this.#targetOf(ctx)),
      isJsonServer: this.isJsonServer,
      paged: ctx.route!.pattern === this.pathOf('read_paginated'),
      fetch: (request) => this.fetchItems(request, ctx),
    })
  }

  /** GET: returns counts, sums, averages, minimums and maximums of the list, in groups. */
  async aggregateItems(ctx: HttpContext): Promise<{ data: AggregateRow[] }> {
    return await handleAggregate(ctx, await this.#targetOf(ctx), (request, words) =>
      this.crud.aggregate(request, { ...this.callOptions(ctx), ...words })
    )
  }

  /** PATCH: changes the fields in the body. */
  async updateItem(ctx: HttpContext): Promise<null | void> {
    return await handleUpdate(ctx, {
      ...(await this.#targetOf(ctx)),
      key: () => this.keyOf(ctx),
      returns: this.isJsonServer,
      fetch: (key) => this.fetchItem(key, 'exclude', ctx),
      change: (key, values, returning) => this.changeItem(key, values, returning, ctx),
    })
  }

  /** DELETE: marks the item deleted, or removes it if soft delete is not configured. */
  async deleteItem(ctx: HttpContext): Promise<Item | null> {
    return await handleDelete(ctx, {
      returned: (key) => this.#deleted(key),
      key: () => this.keyOf(ctx),
      remove: (key) => this.removeItem(key, ctx),
    })
  }

  /** DELETE: removes the item, even with soft delete. */
  async dbDelete(ctx: HttpContext): Promise<Item | null> {
    return await handleDelete(ctx, {
      returned: (key) => this.#deleted(key),
      key: () => this.keyOf(ctx),
      remove: (key) => this.purgeItem(key, ctx),
    })
  }

  /** POST: creates, updates and deletes several items in one transaction, through the same database calls. */
  async batchItems(ctx: HttpContext): Promise<void> {
    await handleBatch(ctx, {
      access: this.callers,
      crud: this.crud,
      operations: this.operations,
      idempotentBatch: this.#idempotentBatch,
      resourceOf: async () => this.resource.for(actorOf(ctx)),
      callOptions: () => this.callOptions(ctx),
      fetch: (key) => this.fetchItem(key, 'exclude', ctx),
      insert: (values) => this.insertItem(values, ctx),
      change: (key, values, returning) => this.changeItem(key, values, returning, ctx),
      remove: (key) => this.removeItem(key, ctx),
    })
  }

  /**
   * Performs the database call of `readItem`. Returns the whole item, because the entity tag depends on all fields.
   */
  protected fetchItem(key: KeyValue, deleted: DeletedMode, ctx: HttpContext): Promise<Item | null> {
    const include = this.#includes.get(ctx)
    return this.crud.get(key, { ...this.callOptions(ctx), deleted, include })
  }

  /** Performs the database call of `readItems`. */
  protected fetchItems(request: ListRequest, ctx: HttpContext): Promise<ListResult> {
    return this.crud.getMulti(request, this.callOptions(ctx))
  }

  /**
   * Returns the key in the path of the request.
   *
   * @throws Problem 422  for an invalid key
   */
  protected keyOf(ctx: HttpContext): KeyValue {
    return this.resource.key.fromParams(ctx.params)
  }

  /** Returns the client and the actor of the request, and its preconditions for an item that is changed or deleted. */
  protected callOptions(ctx: HttpContext) {
    const session = this.mounted?.session ?? this.options.session
    const actor = actorOf(ctx)
    const mayRead = async (record: LucidRow) =>
      (await this.callers.mayRead(ctx)) && (await this.crud.allows('read', { actor }, record))
    return {
      client: transactionOf(ctx) ?? this.#snapshots.get(ctx) ?? session?.(ctx),
      actor,
      origin: originOf(ctx),
      budget: responseBudgetOf(ctx),
      precondition: preconditionOf(ctx, this.resource, actor, mayRead),
    }
  }

  /**
   * Sends a list as JSON, or in the format of the `Accept` header. Pages, and handlers of subclasses, always return
   * JSON.
   */
  async #replyList(ctx: HttpContext): Promise<void> {
    const isOwn = this.readItems !== EndpointCreator.prototype.readItems
    const isPaged = ctx.route!.pattern === this.pathOf('read_paginated')
    const format = isOwn || isPaged ? undefined : listFormatOf(ctx)
    if (!format) {
      const list = await this.readItems(ctx)
      noteTotal(ctx, list)
      const isBare = this.isJsonServer && !isPaged
      return await replyList(ctx, isBare ? bareList(list) : nameItems(list, this.responseKey))
    }
    const { access, resource } = await this.#targetOf(ctx)
    await handleExport(ctx, {
      resource,
      access,
      format,
      isJsonServer: this.isJsonServer,
      client: this.callOptions(ctx).client ?? resource.client(),
      fetch: (request, client) => {
        this.#snapshots.set(ctx, client)
        return this.fetchItems(request, ctx)
      },
      divide: this.#readsRowsDirectly
        ? (request, client) => {
            const options = { ...this.callOptions(ctx), client }
            return orderedParts(new Records(resource), request, options)
          }
        : undefined,
    })
  }

  /** Returns the response to a deletion: clients of json-server need an object, and get the key. */
  #deleted(key: KeyValue): Item | null {
    if (!this.isJsonServer) return null
    const { columns } = this.resource.key
    return Object.fromEntries(
      columns.map((column, index) => [column.apiName, toApi(column, key[index])])
    )
  }

  get #readsRowsDirectly(): boolean {
    const { fetchItems } = EndpointCreator.prototype
    return this.fetchItems === fetchItems && this.crud.getMulti === LucidCrud.prototype.getMulti
  }

  /** Returns the media types of an endpoint; undefined if a subclass overrides its handler. */
  #typesOf(name: string): readonly string[] | undefined {
    const method = HANDLERS[name] ?? 'readItems'
    if (this[method] !== EndpointCreator.prototype[method]) return undefined
    return name === 'read_multi' ? [JSON_TYPE, ...Object.values(LIST_FORMATS)] : [JSON_TYPE]
  }

  /** Returns the resource as the caller is allowed to see it. */
  async #targetOf(ctx: HttpContext) {
    return { ...this.#target, resource: await this.resource.for(actorOf(ctx)) }
  }

  get #target() {
    return { resource: this.resource, access: this.callers }
  }
}
