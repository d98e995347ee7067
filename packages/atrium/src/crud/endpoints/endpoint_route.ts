import type { HttpContext } from '@adonisjs/core/http'
import type { RouteDescription } from '../openapi/openapi_types.js'
import { isRead, type Operation } from '../operations/operation.js'
import type { EndpointMiddleware } from '../types.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A custom route below the model's path. [P11] */
export interface CustomRoute {
  method: Method
  /** Path below the model's, as in `/custom` */
  path: string
  /** The returned value is sent as JSON, unless the handler responds itself */
  handler: (ctx: HttpContext) => unknown
  /** Operation whose access rule applies. Default: `read_multi` for GET, `update` for other methods */
  operation?: Operation
  middleware?: Iterable<EndpointMiddleware>
  /** The route's description in the API schema [Q1] */
  openapi?: RouteDescription
}

/** A registered route: a generated endpoint of a model, or a custom route. [P12] */
export interface EndpointRoute {
  /** Operation whose access rule applies */
  operation: Operation
  /** Of a batch: all that it offers; the access rule of each applies to its part [D4] */
  operations?: readonly Operation[]
  /** The endpoint's name, as in `read_multi`, `read_paginated` or `batch`; method and path for a custom route */
  name: string
  /** A GET route handles HEAD, too */
  method: Method
  /** Full path in the router's notation, as in `/api/products/:id` */
  path: string
  isCustom: boolean
  middleware?: readonly EndpointMiddleware[]
  /** Description of a custom route */
  openapi?: RouteDescription
}

/** A route to be registered; its path is below the model's. */
export interface PlannedRoute extends CustomRoute {
  operation: Operation
  operations?: readonly Operation[]
  name: string
  isCustom: boolean
}

/** True for a generated endpoint that only writes; a custom route does what its own code does. */
export function isWritten({
  isCustom,
  operation,
  operations = [operation],
}: Pick<EndpointRoute, 'isCustom' | 'operation' | 'operations'>): boolean {
  return !isCustom && !operations.some(isRead)
}
