import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ObjectSchema } from '#base/schema/object_schema'
import type { KeyKind } from '#base/values/new_key'
import type { Operation } from '../operations/operation.js'
import type { Actor, ColumnSettings, FilterMap } from '../types.js'
import type { FilterConfig } from './filters.js'
import type { IncludeSettings } from './included_relation.js'
import type { FilterOperators } from './custom_operators.js'
import type { Scope } from './permissions.js'
import type { Transitions } from '#base/columns/transitions'

/**
 * Decides whether the actor is allowed to perform the action, on the record if one is given. A policy that declares
 * `record`, or can receive it through a rest parameter, after a default value or through `arguments`, is called for
 * every record that is returned, including lists, counts and includes. Omit `record` if the decision depends only on
 * actor and action: a list then needs one call.
 */
export type PolicyOf<Resource> = (
  actor: Actor,
  action: Operation,
  resource: Resource,
  record?: LucidRow
) => boolean | Promise<boolean>

/** Options of `@Crud` for the model itself. */
export interface ResourceOptionsOf<Resource> extends ColumnSettings {
  /** Tags of the endpoints in the API schema */
  tags?: Iterable<string>
  /** Body of create. Default: derived from the table */
  createSchema?: ObjectSchema
  /** Body of update. Default: derived from the table */
  updateSchema?: ObjectSchema
  /** If set, the hard-delete endpoint exists */
  deleteSchema?: ObjectSchema
  /** Generates keys for new records without one: UUID version 7 or 4, or ULID */
  key?: KeyKind
  /** Schema whose fields are the fields of responses. Default: all columns that are not hidden */
  selectSchema?: ObjectSchema
  /** Body fields that are not columns; they are passed to `prepareCreate` and `prepareUpdate` of `LucidCrud` */
  virtualFields?: Iterable<string>
  /** Filters of the list */
  filterConfig?: FilterConfig | FilterMap
  /** `'related'`: all visible fields of the relations in `include` are filters, too, with all operators */
  filters?: 'related'
  /** Filter operators of the application, such as `near` for `scale__near` in `filterConfig` */
  operators?: FilterOperators
  /** True if `?deleted=include` and `only` show soft-deleted items */
  showDeleted?: boolean
  /** Relations that `include=` can add to responses, or that they always contain */
  include?: IncludeSettings
  /** Decides on the allowed actions of each actor; default: all actions */
  policy?: PolicyOf<Resource>
  /**
   * Allowed changes of enums, such as `{ status: { draft: ['confirmed', 'cancelled'], confirmed: ['shipped'] } }`:
   * every other change is refused, and roles grant each by its name, `status:draft>confirmed`
   */
  transitions?: Transitions
  /** Narrows the rows that are visible to each actor; default: all rows */
  scope?: Scope
}
