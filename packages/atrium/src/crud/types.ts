import type { HttpContext } from '@adonisjs/core/http'
import type { MiddlewareFn, ParsedNamedMiddleware } from '@adonisjs/core/types/http'
import type { Operation } from './operations/operation.js'

export type * from '#base/types'

export type Access = 'public' | 'token'

export type CustomFilterDefault = string | number | boolean | null

/**
 * Computes the value of a filter for each request, which clients cannot replace: null for no filter, a list for `in`
 * and `between`. Undefined matches nothing, because it usually means that the user lacks an attribute.
 */
export type ComputedFilter = (ctx: HttpContext) => unknown

export type FilterMap = Record<string, CustomFilterDefault | ComputedFilter>

export type EndpointName = Operation | 'read_paginated' | 'batch' | 'aggregate'

/** A dialect of another server that the endpoints of a model can understand. */
export type Dialect = 'json-server'

export type EndpointMiddleware = MiddlewareFn | ParsedNamedMiddleware

/** Names of the columns that mark a deletion or an update, if they differ from the default names. */
export interface ColumnSettings {
  /** Boolean column that marks an item as deleted. Default: `is_deleted`, if that column exists */
  isDeletedColumn?: string
  /** Timestamp column that is set on soft delete. Default: `deleted_at`, if that column exists */
  deletedAtColumn?: string
  /** Timestamp column of the last update. Default: `updated_at`, if that column exists */
  updatedAtColumn?: string
}
