import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ObjectSchema } from '#base/schema/object_schema'
import type { KeyKind } from '#base/values/new_key'
import type { Operation } from '../operations/operation.js'
import type { Actor, ColumnSettings, FilterMap } from '../types.js'
import type { FilterConfig } from './filter_config.js'
import type { IncludeOption } from './included_relation.js'
import type { Scope } from './scope.js'

/**
 * Decides whether the actor may perform the action, on the record if one is given. A policy that
 * declares `record`, or can receive it by a rest parameter, after a default or through `arguments`, is
 * asked to `read` every record that is returned, those of lists, counts and includes too. Leave `record`
 * out if only actor and action count: a list then needs one call. [P14]
 */
export type PolicyOf<Resource> = (
  actor: Actor,
  action: Operation,
  resource: Resource,
  record?: LucidRow
) => boolean | Promise<boolean>

/** The options of `@Crud` about the model itself. [P4] */
export interface ResourceOptionsOf<Resource> extends ColumnSettings {
  /** Tags of the endpoints in the API schema */
  tags?: Iterable<string>
  /** Body of create. Default: derived from the table [P7] */
  createSchema?: ObjectSchema
  /** Body of update. Default: derived from the table [P7] */
  updateSchema?: ObjectSchema
  /** When given, the hard-delete endpoint exists [S5] */
  deleteSchema?: ObjectSchema
  /** Generates the key of a new record that is given none: UUID of version 7 or 4, or ULID */
  key?: KeyKind
  /** Its fields are the fields of the responses. Default: all columns that are not hidden [A2] */
  selectSchema?: ObjectSchema
  /**
   * Body fields that are not columns; they are passed to `prepareCreate` and `prepareUpdate` of
   * `LucidCrud` [P6]
   */
  virtualFields?: Iterable<string>
  /** Filters of the list [S11] */
  filterConfig?: FilterConfig | FilterMap
  /** True if `?deleted=include` and `only` show soft-deleted items [A22] */
  showDeleted?: boolean
  /** Relations that `include=` may add to the responses [Q3] */
  include?: Iterable<string | IncludeOption>
  /** Allowed actions of each actor; default: all [P14] */
  policy?: PolicyOf<Resource>
  /** Visible rows of each actor; default: all [P14] */
  scope?: Scope
}
