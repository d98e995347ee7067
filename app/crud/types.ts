import type { HttpContext } from '@adonisjs/core/http'
import type { MiddlewareFn, ParsedNamedMiddleware } from '@adonisjs/core/types/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { ObjectSchema } from './schema/object_schema.js'
import type { EndpointCreator, EndpointMount } from './endpoints/endpoint_creator.js'
import type { FilterConfig } from './resource/filter_config.js'
import type { LucidCrud } from './lucid_crud.js'
import type { Operation } from './operations/operation.js'
import type { Resource } from './resource/resource.js'

/**
 * What an actor's `user` can be, by any name. The code that signs people in says it, so that a policy
 * needs no cast: `declare module '#crud/types' { interface ActorUsers { admin: AdminUser } }`. [P14]
 */
export interface ActorUsers {}

/**
 * The same for an actor's `session`.
 */
export interface ActorSessions {}

type OneOf<Types> = [keyof Types] extends [never] ? unknown : Types[keyof Types]

export type ActorUser = OneOf<ActorUsers>
export type ActorSession = OneOf<ActorSessions>

/**
 * Who asks: a signed-in admin user, the holder of an API token, own code that says its name, or nobody
 * known. [P14]
 */
export type Actor = AdminActor | TokenActor | SystemActor | NoActor

/** What every kind of actor may be asked for */
interface AnyActor {
  user?: ActorUser
  token?: ApiToken
  /** The session that an admin user is signed in by */
  session?: ActorSession
  /** The name of own code */
  name?: string
}

export interface AdminActor extends AnyActor {
  kind: 'admin'
  user: ActorUser
  token?: undefined
  name?: undefined
}

export interface TokenActor extends AnyActor {
  kind: 'token'
  session?: undefined
  name?: undefined
}

export interface SystemActor extends AnyActor {
  kind: 'system'
  user?: undefined
  token?: undefined
  session?: undefined
  name: string
}

export interface NoActor extends AnyActor {
  kind: 'none'
  user?: undefined
  token?: undefined
  session?: undefined
  name?: undefined
}

/**
 * Where a request came from.
 */
export interface Origin {
  requestId: string
  ip: string
  userAgent: string | null
  /** The id of the signed-in session's record, if there is one */
  sessionId?: number
}

/**
 * Says whether the actor may do this, to this record if one is given. One that declares `record`, or
 * can be given it by a rest parameter, behind a default or through `arguments`, is asked to `read` every
 * record that leaves, those of lists, counts and included items too. Leave it out where only actor and
 * action count: the answer to a list is then one question. [P14]
 */
export type Policy = (
  actor: Actor,
  action: Operation,
  resource: Resource,
  record?: LucidRow
) => boolean | Promise<boolean>

/**
 * Narrows a query to the rows that the actor may see. What it hides does not exist for them. [P14]
 */
export type Scope = (query: ModelQueryBuilderContract<LucidModel, any>, actor: Actor) => void

/**
 * What is known of the API token that a request came with: never its secret, nor the hash of it. [P10]
 */
export interface ApiToken {
  id: number
  name: string
  /** As in `Product:read` */
  abilities: readonly string[]
}

/**
 * Decides who may call an endpoint that is not public. The admin area registers the one for API
 * tokens. Answers with the actor, or throws the problem to answer with. [P10]
 */
export interface Authorizer {
  authorize(ctx: HttpContext, resource: Resource, operation: Operation): Promise<Actor>

  /**
   * Whose token the request came with, whatever it may do; null without a valid one. Asked by what is
   * no endpoint of a model, and by the rate limit.
   */
  identify?(ctx: HttpContext): Promise<(Actor & { token: ApiToken }) | null>
}

export type Access = 'public' | 'token'

export type CustomFilterDefault = string | number | boolean | null
export type FilterMap = Record<string, CustomFilterDefault>

export type EndpointName = Operation | 'read_paginated'

export type EndpointMiddleware = MiddlewareFn | ParsedNamedMiddleware

/**
 * Names of the columns that mark a deletion or an update, where they are not the usual ones. [S4]
 */
export interface ColumnSettings {
  /** Boolean column that marks an item deleted. Default: `is_deleted`, if there is one */
  isDeletedColumn?: string
  /** Timestamp column set on soft delete. Default: `deleted_at`, if there is one */
  deletedAtColumn?: string
  /** Timestamp column of the last update. Default: `updated_at`, if there is one */
  updatedAtColumn?: string
}

export type LucidCrudClass = new (model: any, settings?: ColumnSettings) => LucidCrud<any>
export type EndpointCreatorClass = new (
  options: CrudRouterOptions,
  mount?: EndpointMount
) => EndpointCreator

/**
 * The options of `@Crud`. All of them may be left out. [P4]
 */
export interface CrudOptions extends ColumnSettings {
  /** Path below the prefix of `config/crud.ts`. Default: the dashed table name [P5] */
  path?: string
  /** Tags of the endpoints in the API schema */
  tags?: Iterable<string>
  /** Body of create. Default: derived from the table [P7] */
  createSchema?: ObjectSchema
  /** Body of update. Default: derived from the table [P7] */
  updateSchema?: ObjectSchema
  /** When given, the hard-delete endpoint exists [S5] */
  deleteSchema?: ObjectSchema
  /** Its fields are what the answers hold. Default: all columns that are not hidden [A2] */
  selectSchema?: ObjectSchema
  /** Body fields that are no columns; they go to `LucidCrud`'s `prepareCreate` and `prepareUpdate` [P6] */
  virtualFields?: Iterable<string>
  /** The database client to use for a request. Default: the model's connection [P8] */
  session?: (ctx: HttpContext) => QueryClientContract
  /** The CRUD object, or a subclass of `LucidCrud` [P8] */
  crud?: LucidCrud<any> | LucidCrudClass
  /** Only these operations [S6] */
  includedMethods?: Iterable<Operation>
  /** All operations but these [S7] */
  deletedMethods?: Iterable<Operation>
  /** Path segments of operations; only changed ones need be given [S9] */
  endpointNames?: Partial<Record<EndpointName, string>>
  /** Subclass of `EndpointCreator` that adds or changes routes [S10] */
  endpointCreator?: EndpointCreatorClass
  /** Filters of the list [S11] */
  filterConfig?: FilterConfig | FilterMap
  /** Whether `?deleted=include` and `only` show soft-deleted items [A22] */
  showDeleted?: boolean
  /** Relations that `include=` may embed in the answers [Q3] */
  include?: Iterable<string>
  /** Middleware of single operations */
  middleware?: Partial<Record<Operation, Iterable<EndpointMiddleware>>>
  /** Who may call the endpoints. Default: `access` of `config/crud.ts` [P10] */
  access?: Access | Partial<Record<Operation, Access>>
  /** Who may do what; allows all by default [P14] */
  policy?: Policy
  /** Which rows exist for whom; all by default [P14] */
  scope?: Scope
}

/**
 * The options of `crudRouter`: those of `@Crud`, and the model. [P3]
 */
export interface CrudRouterOptions extends CrudOptions {
  model: LucidModel
}

/**
 * An item as the wire has it: wire names, JSON values.
 */
export type Item = Record<string, unknown>
