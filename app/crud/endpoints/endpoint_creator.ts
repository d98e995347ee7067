import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { actorOf, authorize, authorizeBy, originOf, wouldPass } from './access.js'
import { roomOf } from '../http/answer_room.js'
import { checkOptions } from '../checks.js'
import { crudOf, settingsOf } from './crud_object.js'
import { listed, ValueError } from '../errors.js'
import { readBody } from '../http/body.js'
import {
  hasPrecondition,
  noteTag,
  preconditionOf,
  replyItem,
  replyList,
} from '../http/preconditions.js'
import { strongTag } from '../http/etag.js'
import { itemNotFound } from '../http/problems.js'
import { preferredReturn } from '../http/prefer.js'
import { rateLimit } from '../http/rate_limit.js'
import { reply } from '../http/reply.js'
import { markGenerated, markMounted } from './generated_routes.js'
import { replyCreated, type CreatedAnswer } from '../http/idempotency/created_answer.js'
import { OnlyOnce, transactionOf } from '../http/idempotency/only_once.js'
import { isUnreadable, keyOf } from '../operations/item_keys.js'
import { noteMixture, notePart } from '../operations/item_parts.js'
import type { ListResult } from '../operations/list.js'
import type { LucidCrud } from '../lucid_crud.js'
import { isOperation, OPERATIONS, type Operation } from '../operations/operation.js'
import { pickFields } from '../request/fields.js'
import { notIncluded } from '../request/include_parameter.js'
import { parseItemRequest } from '../request/item_request.js'
import { ListRequest } from '../request/list_request.js'
import { QueryString } from '../request/query_string.js'
import { checkWriteQuery } from '../request/strict_query.js'
import type { Inclusion } from '../resource/included_relation.js'
import type { RouteDescription } from '../openapi/openapi_types.js'
import { Resource } from '../resource/resource.js'
import { resources } from '../resource/registry.js'
import type { KeyValue } from '../resource/key.js'
import type { DeletedMode } from '../resource/soft_delete.js'
import { crudConfig } from '../settings.js'
import { writeJson } from '../values/json.js'
import type {
  Access,
  Authorizer,
  CrudRouterOptions,
  EndpointMiddleware,
  EndpointName,
  Item,
} from '../types.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * A route of one's own, below the model's path. [P11]
 */
export interface CustomRoute {
  method: Method
  /** Below the model's path, as in `/custom` */
  path: string
  /** What it returns is sent as JSON, unless it answers by itself */
  handler: (ctx: HttpContext) => unknown
  /** Whose access rule it follows. Default: `read_multi` for GET, `update` for other methods */
  operation?: Operation
  middleware?: Iterable<EndpointMiddleware>
  /** What the API schema says of it [Q1] */
  openapi?: RouteDescription
}

/**
 * Where endpoints lie that do not go by the model's own options, and who decides about them: how
 * another part of the application offers them a second time. [S61]
 */
export interface EndpointMount {
  /** Full path, as in `/admin/Product/crud` */
  path: string
  resource: Resource
  crud: LucidCrud
  operations: Iterable<Operation>
  authorizer: Authorizer
  session: (ctx: HttpContext) => QueryClientContract
}

/**
 * A route as it is registered: one of a model's generated endpoints, or one of its own. [P12]
 */
export interface EndpointRoute {
  /** Whose access rule it follows */
  operation: Operation
  /** The endpoint's name, as in `read_multi` or `read_paginated`; method and path for a custom route */
  name: string
  /** A GET route answers HEAD too */
  method: Method
  /** In full and in the router's spelling, as in `/api/products/:id` */
  path: string
  isCustom: boolean
  middleware?: readonly EndpointMiddleware[]
  /** What a custom route says of itself */
  openapi?: RouteDescription
}

/** A route that is going to be registered; its path lies below the model's. */
interface PlannedRoute extends CustomRoute {
  operation: Operation
  name: string
  isCustom: boolean
}

const METHODS: Record<Operation, Method> = {
  create: 'POST',
  read: 'GET',
  read_multi: 'GET',
  update: 'PATCH',
  delete: 'DELETE',
  db_delete: 'DELETE',
}

/** The operations whose path names one item. */
const BY_KEY: Operation[] = ['read', 'update', 'delete', 'db_delete']

/**
 * Creates the endpoints of one model. A subclass adds routes in `addRoutesToRouter`, or changes what
 * an operation does by overriding its handler, or only what the handler asks of the database. [P11]
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
export class EndpointCreator {
  readonly resource: Resource
  readonly crud: LucidCrud
  /** Where the endpoints lie, prefix included, as in `/api/products` */
  readonly path: string
  protected readonly options: CrudRouterOptions
  readonly #operations: ReadonlySet<Operation>
  readonly #mount: EndpointMount | undefined
  readonly #onlyOnce: OnlyOnce
  readonly #planned: PlannedRoute[] = []
  #isPlanned = false
  /* What a read of one item is to embed: `fetchItem` is older, and own classes know its parameters. */
  readonly #inclusions = new WeakMap<HttpContext, readonly Inclusion[]>()
  /* Whether who asks may read; worked out once a request. */
  readonly #readers = new WeakMap<HttpContext, Promise<boolean>>()

  /**
   * @param mount  given when the endpoints lie elsewhere than the options say
   * @throws ValueError, TypeError or RuntimeError  when the options can't be right [P9]
   */
  constructor(options: CrudRouterOptions, mount?: EndpointMount) {
    checkOptions(options)
    this.options = { ...options, ...settingsOf(options) }
    this.#mount = mount
    this.resource = mount?.resource ?? new Resource(this.options)
    this.crud = mount?.crud ?? crudOf(this.options, this.resource)
    this.#checkAccess()
    this.path = mount?.path ?? crudConfig().prefix + modelPath(options.path, this.resource)
    this.#onlyOnce = new OnlyOnce(this.resource, this.path)
    this.#operations = mount ? new Set(mount.operations) : this.#selectOperations()
    this.#checkNames()
    this.#checkCollisions(this.#generatedRoutes())
  }

  /**
   * The operations that this model offers. [S6, S7]
   */
  get operations(): readonly Operation[] {
    return OPERATIONS.filter((operation) => this.#operations.has(operation))
  }

  /**
   * Who may call an operation. [P10]
   */
  accessOf(operation: Operation): Access {
    return this.#ownAccess(operation) ?? crudConfig().access
  }

  /**
   * Whether only the configuration says who may call an operation, and not the model itself. [P10]
   */
  isAccessDefault(operation: Operation): boolean {
    return this.#ownAccess(operation) === undefined
  }

  /**
   * Whether an operation wants a token only because nobody has said anything of it. [P10]
   */
  isUndecided(operation: Operation): boolean {
    const { access, isAccessDecided } = crudConfig()
    return this.isAccessDefault(operation) && access === 'token' && !isAccessDecided
  }

  /**
   * Whether they lie where they would without the option `path`. [P5]
   */
  get isAtTablePath(): boolean {
    return this.path === crudConfig().prefix + modelPath(undefined, this.resource)
  }

  /**
   * Where the list lies, if there is one.
   */
  get listPath(): string | undefined {
    const list = this.#endpoints().find(({ name }) => name === 'read_multi')
    return list && this.path + list.path
  }

  /**
   * Whether the application has a say in which client reads its items.
   */
  get hasOwnSession(): boolean {
    return this.options.session !== undefined
  }

  /**
   * Adds the routes of the model's operations. Overridable: call `super` and add your own.
   */
  addRoutesToRouter(): void {
    const handlers: Record<Operation, (ctx: HttpContext) => unknown> = {
      create: (ctx) => this.createItem(ctx),
      read: async (ctx) => replyItem(ctx, await this.readItem(ctx)),
      read_multi: async (ctx) => replyList(ctx, await this.readItems(ctx)),
      update: (ctx) => this.updateItem(ctx),
      delete: (ctx) => this.deleteItem(ctx),
      db_delete: (ctx) => this.dbDelete(ctx),
    }
    for (const route of this.#generatedRoutes()) {
      const { operation } = route
      this.#planned.push({
        ...route,
        isCustom: false,
        handler: handlers[operation],
        middleware: this.options.middleware?.[operation],
      })
    }
  }

  /**
   * Adds a route of one's own below the model's path. It goes before the generated ones, so that a
   * GET `/custom` is never read as an id. [A27]
   */
  addCustomRoute(route: CustomRoute): void {
    const operation = route.operation ?? (route.method === 'GET' ? 'read_multi' : 'update')
    const path = route.path.startsWith('/') ? route.path : `/${route.path}`
    const name = `${route.method} ${path}`
    this.#planned.push({ ...route, path, operation, name, isCustom: true })
  }

  /**
   * Collects the routes.
   *
   * @throws ValueError  when two of them have the same method and path
   */
  planRoutes(): void {
    if (this.#isPlanned) return
    this.addRoutesToRouter()
    this.#checkCollisions(this.#planned)
    this.#isPlanned = true
  }

  /**
   * The routes that `register` hands to the router, in its order.
   *
   * @throws ValueError  when two of them have the same method and path
   */
  get routes(): readonly EndpointRoute[] {
    return this.#offeredRoutes().map(
      ({ operation, name, method, path, isCustom, middleware, openapi }) => ({
        operation,
        name,
        method,
        path: this.#fullPath(path),
        isCustom,
        middleware: middleware && [...middleware],
        openapi,
      })
    )
  }

  /**
   * Hands the routes to the application's router. Where the endpoints lie elsewhere, whoever mounted
   * them answers for the paths there that are nobody's.
   *
   * @throws ValueError  when two of them have the same method and path
   */
  register(): void {
    const routes = this.#offeredRoutes()
    if (!this.#mount) markMounted(this.path)
    for (const route of routes) this.#registerRoute(route)
  }

  /**
   * POST: stores the body as a new item, once for each `Idempotency-Key`. [A1, Q7]
   */
  async createItem(ctx: HttpContext): Promise<void> {
    checkWriteQuery(queryOf(ctx), crudConfig())
    const body = await readBody(ctx, crudConfig().body)
    const mayRead = await this.#mayRead(ctx)
    const options = () => this.callOptions(ctx)
    const answer = await this.#onlyOnce.answer(ctx, body, options, async (within) => {
      const values = await this.resource.createBody.parse(
        body,
        { operation: 'create' },
        strictBody()
      )
      return await within(async () => this.#created(await this.insertItem(values, ctx)))
    })
    replyCreated(ctx, mayRead ? answer : { ...answer, tag: undefined })
  }

  /**
   * GET with a key: one item. [A2, Q2, Q3]
   */
  async readItem(ctx: HttpContext): Promise<Item> {
    const { deleted, fields, include } = parseItemRequest(this.resource, queryOf(ctx), crudConfig())
    const key = this.keyOf(ctx)
    await this.#authorizeInclusions(ctx, include)
    this.#inclusions.set(ctx, include)
    const item = await this.fetchItem(key, deleted, ctx)
    if (!item) throw itemNotFound()
    const answer = fields ? notePart(pickFields(item, fields, include), item) : item
    return include.length > 0 ? noteMixture(answer) : answer
  }

  /**
   * GET without a key: the list. [A10 to A19, Q2 to Q5]
   */
  async readItems(ctx: HttpContext): Promise<ListResult> {
    const paged = ctx.route!.pattern === this.#paginatedPattern
    const request = ListRequest.parse(this.resource, queryOf(ctx), crudConfig(), paged)
    await this.#authorizeInclusions(ctx, request.include)
    return await this.fetchItems(request, ctx)
  }

  /**
   * PATCH: changes the fields that the body holds. [A3]
   */
  async updateItem(ctx: HttpContext): Promise<null | void> {
    checkWriteQuery(queryOf(ctx), crudConfig())
    const key = this.keyOf(ctx)
    const body = await readBody(ctx, crudConfig().body)
    const values = await this.resource.updateBody.parse(
      body,
      { operation: 'update', key },
      strictBody()
    )
    const wanted = preferredReturn(ctx)
    const returning = wanted === 'representation' && (await this.#mayRead(ctx))
    const item = await this.changeItem(key, values, returning, ctx)

    const isApplied = wanted === 'minimal' || (returning && item !== null)
    if (isApplied) ctx.response.header('preference-applied', `return=${wanted}`)
    if (wanted === 'minimal') ctx.response.status(204).send('')
    else reply(ctx, item)
  }

  /**
   * DELETE: marks the item deleted, or removes it where soft delete is not configured. [A3]
   */
  async deleteItem(ctx: HttpContext): Promise<null> {
    checkWriteQuery(queryOf(ctx), crudConfig())
    await this.removeItem(this.keyOf(ctx), ctx)
    return null
  }

  /**
   * DELETE for good. [A3]
   */
  async dbDelete(ctx: HttpContext): Promise<null> {
    checkWriteQuery(queryOf(ctx), crudConfig())
    await this.purgeItem(this.keyOf(ctx), ctx)
    return null
  }

  /** What `createItem` asks of the database. */
  protected insertItem(values: Record<string, unknown>, ctx: HttpContext): Promise<Item> {
    return this.crud.create(values, this.callOptions(ctx))
  }

  /** What `readItem` asks of the database: the whole item, as its tag is made of that. [Q6] */
  protected fetchItem(key: KeyValue, deleted: DeletedMode, ctx: HttpContext): Promise<Item | null> {
    const include = this.#inclusions.get(ctx)
    return this.crud.get(key, { ...this.callOptions(ctx), deleted, include })
  }

  /** What `readItems` asks of the database. */
  protected fetchItems(request: ListRequest, ctx: HttpContext): Promise<ListResult> {
    return this.crud.getMulti(request, this.callOptions(ctx))
  }

  /** What `updateItem` asks of the database. */
  protected async changeItem(
    key: KeyValue,
    values: Record<string, unknown>,
    returning: boolean,
    ctx: HttpContext
  ): Promise<Item | null> {
    const written = (await this.#mayRead(ctx)) ? (item: Item) => noteTag(ctx, item) : undefined
    return await this.crud.update(key, values, { ...this.callOptions(ctx), returning, written })
  }

  /** What `deleteItem` asks of the database. */
  protected removeItem(key: KeyValue, ctx: HttpContext): Promise<void> {
    return this.crud.delete(key, this.callOptions(ctx))
  }

  /** What `dbDelete` asks of the database. */
  protected purgeItem(key: KeyValue, ctx: HttpContext): Promise<void> {
    return this.crud.dbDelete(key, this.callOptions(ctx))
  }

  /**
   * The key of the request's path.
   *
   * @throws Problem 422  when it can't be one
   */
  protected keyOf(ctx: HttpContext): KeyValue {
    return this.resource.key.fromParams(ctx.params)
  }

  /**
   * The client and the actor of the request, and what it asks of an item that it changes or deletes.
   */
  protected callOptions(ctx: HttpContext) {
    const session = this.#mount?.session ?? this.options.session
    const actor = actorOf(ctx)
    const mayRead = async (record: LucidRow) =>
      (await this.#mayRead(ctx)) && (await this.crud.allows('read', { actor }, record))
    return {
      client: transactionOf(ctx) ?? session?.(ctx),
      actor,
      origin: originOf(ctx),
      room: roomOf(ctx),
      precondition: preconditionOf(ctx, this.resource, mayRead),
    }
  }

  /** Every generated endpoint with its path below the model's. */
  #endpoints(): Array<{ operation: Operation; name: EndpointName; path: string }> {
    const names = this.options.endpointNames ?? {}
    const segmentOf = (name: EndpointName) => {
      const segment = names[name] ?? (name === 'db_delete' ? 'db_delete' : '')
      return segment === '' ? '' : `/${segment}`
    }
    const endpoints = this.operations.map((operation) => ({
      operation,
      name: operation as EndpointName,
      path: segmentOf(operation) + (BY_KEY.includes(operation) ? this.resource.key.pattern : ''),
    }))
    if (names.read_paginated !== undefined && this.#operations.has('read_multi')) {
      endpoints.push({
        operation: 'read_multi',
        name: 'read_paginated',
        path: segmentOf('read_paginated'),
      })
    }
    return endpoints
  }

  #generatedRoutes() {
    return this.#endpoints().map((endpoint) => ({
      ...endpoint,
      method: METHODS[endpoint.operation],
    }))
  }

  /**
   * A route of one's own goes before the generated ones, and where the endpoints lie elsewhere, it
   * exists only where its operation does. [A27, B14]
   */
  #offeredRoutes(): PlannedRoute[] {
    this.planRoutes()
    return this.#planned
      .filter(({ operation }) => !this.#mount || this.#operations.has(operation))
      .sort((a, b) => Number(b.isCustom) - Number(a.isCustom))
  }

  #fullPath(path: string): string {
    return this.path + path || '/'
  }

  #registerRoute(route: PlannedRoute) {
    const handler = async (ctx: HttpContext) => {
      if (!this.resource.isLoaded) await this.resource.load()
      await this.#authorize(ctx, route.operation)
      /* In the transaction of the write, a question about a token would wait for that very one. */
      if (hasPrecondition(ctx)) await this.#mayRead(ctx)
      const value = await route.handler.call(this, ctx)
      if (value !== undefined && !ctx.response.hasLazyBody) reply(ctx, value)
    }
    markGenerated(handler)

    const methods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
    const registered = router.route(this.#fullPath(route.path), methods, handler)
    registered.as(`${this.path.slice(1).replaceAll('/', '.')}:${route.name}`)
    /* Elsewhere, whoever mounted them says how often they may be called. */
    if (!this.#mount) registered.use(rateLimit)
    if (route.middleware) registered.use([...route.middleware] as any)
  }

  async #authorize(ctx: HttpContext, operation: Operation) {
    if (this.#mount) await authorizeBy(this.#mount.authorizer, ctx, this.resource, operation)
    else {
      const isUndecided = this.isUndecided(operation)
      await authorize(ctx, this.resource, operation, this.accessOf(operation), isUndecided)
    }
  }

  /**
   * Whether the caller may call the read of one item, wherever the model offers it. Who may only write is
   * shown no more for wishing so, gets no entity tag, and no answer to a precondition. [Q6]
   */
  #mayRead(ctx: HttpContext): Promise<boolean> {
    let answer = this.#readers.get(ctx)
    if (!answer) {
      answer = this.#operations.has('read')
        ? wouldPass(ctx, () => this.#authorize(ctx, 'read'))
        : Promise.resolve(false)
      this.#readers.set(ctx, answer)
    }
    return answer
  }

  #ownAccess(operation: Operation): Access | undefined {
    const { access } = this.options
    return typeof access === 'object' ? access[operation] : access
  }

  /**
   * Who may not ask the related model's own endpoints may not ask for its items here, either: the list
   * where there are several, else for one. Where the endpoints lie elsewhere, whoever mounted them
   * decides.
   */
  async #authorizeInclusions(ctx: HttpContext, inclusions: readonly Inclusion[]) {
    for (const inclusion of inclusions) {
      const { isList, name, resource } = inclusion
      const operation = isList ? 'read_multi' : 'read'
      if (this.#mount) {
        await authorizeBy(this.#mount.authorizer, ctx, resource, operation)
        continue
      }
      const access = resources.accessToEmbed(inclusion)
      if (!access) throw notIncluded(name, [...resources.includesOf(this.resource).keys()])
      await authorize(ctx, resource, operation, access)
    }
  }

  #selectOperations(): Set<Operation> {
    const { includedMethods, deletedMethods, deleteSchema } = this.options
    if (includedMethods && deletedMethods) {
      throw new ValueError(
        `${this.resource.name}: includedMethods and deletedMethods can't both be given; use one of them`
      )
    }
    const included = this.#checkedOperations('includedMethods', includedMethods)
    const deleted = this.#checkedOperations('deletedMethods', deletedMethods)
    if (included?.has('db_delete') && !deleteSchema) {
      throw new ValueError(
        `${this.resource.name}: includedMethods names db_delete, which exists only with a deleteSchema`
      )
    }
    return new Set(
      OPERATIONS.filter(
        (operation) =>
          (included?.has(operation) ?? true) &&
          !deleted?.has(operation) &&
          (operation !== 'db_delete' || deleteSchema !== undefined)
      )
    )
  }

  #checkedOperations(option: string, names: Iterable<string> | undefined) {
    if (names === undefined) return undefined
    for (const name of names) {
      if (!isOperation(name)) {
        throw new ValueError(
          `${this.resource.name}: ${option} names '${name}', which is no operation; operations are ${listed(OPERATIONS)}`
        )
      }
    }
    return new Set(names as Iterable<Operation>)
  }

  #checkNames() {
    const keys: string[] = [...OPERATIONS, 'read_paginated']
    for (const [key, segment] of Object.entries(this.options.endpointNames ?? {})) {
      if (!keys.includes(key)) {
        throw new ValueError(
          `${this.resource.name}: endpointNames names '${key}', which is no operation; operations are ${listed(keys)}`
        )
      }
      if (typeof segment !== 'string' || (segment !== '' && !isSegment(segment))) {
        throw new ValueError(
          `${this.resource.name}: endpointNames gives ${key} the path segment '${segment}', which may hold only letters, digits and . _ ~ -`
        )
      }
    }
    for (const key of Object.keys(this.options.middleware ?? {})) {
      this.#checkedOperations('middleware', [key])
    }
  }

  #checkAccess() {
    const { access } = this.options
    const rules = typeof access === 'object' ? Object.entries(access) : [['access', access]]
    for (const [key, rule] of rules) {
      if (typeof access === 'object') this.#checkedOperations('access', [key!])
      if (rule !== undefined && rule !== 'public' && rule !== 'token') {
        throw new ValueError(
          `${this.resource.name}: access is '${String(rule)}', and must be 'public' or 'token', or a map from operations to these`
        )
      }
    }
  }

  /** Two paths are the same when only the names of their parameters differ. */
  #checkCollisions(planned: Array<Pick<PlannedRoute, 'name' | 'method' | 'path'>>) {
    const shape = ({ method, path }: (typeof planned)[0]) =>
      `${method} ${path.replace(/:[^/]+/g, ':')}`
    for (const routes of Map.groupBy(planned, shape).values()) {
      if (routes.length > 1) {
        const { method, path } = routes[0]
        throw new ValueError(
          `${this.resource.name}: ${listed(routes.map((route) => route.name))} would share ${method} ${this.path}${path}; give them different endpointNames`
        )
      }
    }
  }

  get #paginatedPattern(): string | undefined {
    const alias = this.#endpoints().find(({ name }) => name === 'read_paginated')
    return alias && this.path + alias.path
  }

  /** Who may create an item, and not read it, is told only where it is. [P14] */
  #created(item: Item): CreatedAnswer {
    const key = keyOf(item)
    const location = this.#locationOf(item)
    if (isUnreadable(item)) return { body: 'null', key, location }
    const body = writeJson(item ?? null)
    return { body, key, location, tag: key && strongTag(body) }
  }

  /** The path where a created item can be read, if reading is offered. */
  #locationOf(item: Item): string | undefined {
    const read = this.#endpoints().find(({ name }) => name === 'read')
    const key = keyOf(item)
    if (!read || !key) return undefined
    const { key: keys } = this.resource
    return this.path + read.path.replace(keys.pattern, '') + keys.toPath(key)
  }
}

/** Forms send fields of their own beside the item's, and are never asked. [A7] */
const strictBody = () => crudConfig().strictBody

function queryOf(ctx: HttpContext): QueryString {
  return new QueryString(ctx.request.parsedUrl.query ?? '')
}

/** `order_lines` -> `/order-lines`; an explicit path is taken as it is. [P5] */
function modelPath(path: string | undefined, resource: Resource): string {
  const own = (path ?? resource.table.replaceAll('_', '-')).replace(/^\/+|\/+$/g, '')
  if (!own.split('/').every(isSegment)) {
    throw new ValueError(
      `${resource.name}: path is '${path}', which may hold only letters, digits, / and . _ ~ -`
    )
  }
  return `/${own}`
}

/** A dot and two dots are places, no names: clients resolve them before they ask. */
function isSegment(text: string): boolean {
  return /^(?!\.\.?$)[\w.~-]+$/.test(text)
}
