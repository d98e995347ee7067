import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { LucidCrud } from '../lucid_crud.js'
import { type Operation, isRead } from '../operations/operation.js'
import type { ResourceOptions, Resource } from '../resource/resource.js'
import type { Access, ColumnSettings, Dialect, EndpointMiddleware, EndpointName } from '../types.js'
import type { Authorizer } from './access.js'
import type { Deprecation } from '../http/deprecation.js'
import type { RouteDescription } from '../openapi/openapi_types.js'

type LucidCrudClass = new (model: any, settings?: ColumnSettings) => LucidCrud<any>

/** Options of `@Crud` for the endpoints. */
export interface EndpointOptions extends ResourceOptions {
  /** Path below the prefix of `config/crud.ts`. Default: the table name with dashes */
  path?: string
  /** Returns the database client for a request. Default: the client of the model's connection */
  session?: (ctx: HttpContext) => QueryClientContract
  /** The CRUD object, or a subclass of `LucidCrud` */
  crud?: LucidCrud<any> | LucidCrudClass
  /** The only operations to offer */
  includedMethods?: Iterable<Operation>
  /** Operations that are not offered */
  deletedMethods?: Iterable<Operation>
  /** True to offer creates, updates and deletions in one request that either succeeds or fails as a whole */
  batch?: boolean
  /** True to offer counts, sums, averages, minimums and maximums of a list, in groups */
  aggregate?: boolean
  /** Dialects of other servers that the endpoints also understand. Default: `compat` of `config/crud.ts` */
  compat?: Iterable<Dialect>
  /** True to offer updates and deletions of all items that match filters */
  bulk?: boolean
  /** Path segments of operations; operations without an entry use their defaults */
  endpointNames?: Partial<Record<EndpointName, string>>
  /** Middleware by operation */
  middleware?: Partial<Record<Operation, Iterable<EndpointMiddleware>>>
  /** Name of the array in a list's response. Default: `data` */
  responseKey?: string
  /** Announces in every response, and in the API schema, that the endpoints are going to be removed */
  deprecated?: Deprecation
  /** Access to the endpoints. Default: `access` of `config/crud.ts` */
  access?: Access | Partial<Record<Operation, Access>>
}

/** Endpoint options together with their model. */
export interface ModelEndpointOptions extends EndpointOptions {
  model: LucidModel
}

/**
 * Path and authorizer of endpoints that another part of the application offers in addition to the model's own.
 */
export interface EndpointMount {
  /** Full path, such as `/admin/Product/crud` */
  path: string
  resource: Resource
  crud: LucidCrud
  operations: Iterable<Operation>
  authorizer: Authorizer
  session: (ctx: HttpContext) => QueryClientContract
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A custom route below the model's path. */
export interface CustomRoute {
  method: Method
  /** Path below the model's path, such as `/custom` */
  path: string
  /** The returned value is sent as JSON, unless the handler responds itself */
  handler: (ctx: HttpContext) => unknown
  /** Operation whose access rule applies. Default: `read_multi` for GET, `update` for other methods */
  operation?: Operation
  middleware?: Iterable<EndpointMiddleware>
  /** The route's description in the API schema */
  openapi?: RouteDescription
}

/** A registered route: a generated endpoint of a model, or a custom route. */
export interface EndpointRoute {
  /** Operation whose access rule applies */
  operation: Operation
  /** All operations that a batch offers; each part of a batch is subject to the access rule of its operation */
  operations?: readonly Operation[]
  /** Name of the endpoint, such as `read_multi`, `read_paginated` or `batch`; method and path for a custom route */
  name: string
  /** HTTP method; a GET route also handles HEAD */
  method: Method
  /** Full path in the router's notation, such as `/api/products/:id` */
  path: string
  isCustom: boolean
  middleware?: readonly EndpointMiddleware[]
  /** Description of a custom route */
  openapi?: RouteDescription
}

/** A route to be registered; its path is relative to the model's path. */
export interface PlannedRoute extends CustomRoute {
  operation: Operation
  operations?: readonly Operation[]
  name: string
  isCustom: boolean
  /** Media types that the route can send; undefined if only its handler knows them */
  types?: readonly string[]
}

/** True for a generated endpoint that only writes. Unknown for custom routes, so false. */
export function isWritten({
  isCustom,
  operation,
  operations = [operation],
}: Pick<EndpointRoute, 'isCustom' | 'operation' | 'operations'>): boolean {
  return !isCustom && !operations.some(isRead)
}
