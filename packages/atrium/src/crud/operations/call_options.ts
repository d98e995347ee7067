import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ResponseBudget } from '../http/response_budget.js'
import type { Fields } from '#base/columns/fields'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { Actor, Item, Origin } from '../types.js'

/** Maximum number of related records in a write, per relation */
export const MOST_RELATED = 500

/** The related records that a write sets for a many-to-many relation. */
export interface WantedRelated {
  /** Keys of the related records */
  keys: readonly unknown[]
  /**
   * Keys that the writer was shown. Shown keys that are not in `keys` are detached; keys in `keys` that were not shown
   * are attached; changes by other users since then are preserved. Default: all attached records that the actor is
   * allowed to see
   */
  shown?: readonly unknown[]
  /** Values of pivot columns to write, by the text of the related key. Default: the defaults of the database */
  values?: ReadonlyMap<string, PivotValues>
}

/** Values of the columns of a pivot row. */
export interface PivotValues {
  /** Values in the database's form, by column name */
  values: Readonly<Record<string, unknown>>
  /**
   * Values in the API's form that the writer was shown; if a stored value has changed since then, nothing is written.
   * Default: stored values are overwritten
   */
  begun?: Readonly<Record<string, unknown>>
}

/** Related records to write, by API name of the relation */
export type RelatedWrites = ReadonlyMap<string, WantedRelated>

/** Options of every operation. */
export interface CallOptions {
  /** Database client to use; a transaction's client makes the operation part of that transaction */
  client?: QueryClientContract
  /**
   * True if the write needs no savepoint in the client's transaction, because its failure also fails the transaction,
   * or the caller rolls it back
   */
  joins?: boolean
  /** Actor whose policy and scope apply */
  actor?: Actor
  /** Origin of the request that caused the operation, if any; recorded in events */
  origin?: Origin
  /** Memory budget of a list; without it, the memory is not limited */
  budget?: ResponseBudget
  /** True if the actor can list deleted items. Default: the model's `showDeleted` */
  showsDeleted?: boolean
  /** Names of files that were uploaded for this write; file columns accept no others */
  files?: ReadonlySet<string>
}

/** Options that overridable methods receive: the caller's options, with the transaction of the write. */
export interface HookOptions extends CallOptions {
  client: TransactionClientContract
}

/** Options of an operation that can include soft-deleted items. */
export interface SelectOptions extends CallOptions {
  deleted?: DeletedMode
}

/** Options for reading one record. */
export interface FindOptions extends SelectOptions {
  /** True to lock the row until the end of the transaction; ignored without one */
  lock?: boolean
}

/** Options for reading one item. */
export interface ReadOptions extends FindOptions {
  /** API names of the fields, as `id,name` or as a list; undefined: all fields */
  fields?: string | Iterable<string> | Fields
  /** Names of the declared relations to include, as `distributor` or as a list */
  include?: string | Iterable<string | IncludedRelation>
}

/** Options of a write of one item. */
export interface WriteOptions extends CallOptions {
  /**
   * Called with the locked record before the write; an error that it throws becomes the response, and nothing is
   * written
   */
  precondition?: (record: LucidRow) => void | Promise<void>
}

/** Options of a create. */
export interface CreateOptions extends CallOptions {
  /** Records to attach through many-to-many relations */
  related?: RelatedWrites
}

/** Options of an update. */
export interface UpdateOptions extends WriteOptions {
  /** Record of the key, if `locateBy` has already read and locked it in the same transaction */
  located?: LucidRow
  /** Related records that the item has after the update, by many-to-many relation: see `WantedRelated` */
  related?: RelatedWrites
  /** True to return the changed item, if the actor is allowed to read it */
  returning?: boolean
  /** Called with the updated item before the commit, if the actor is allowed to read it */
  written?: (item: Item) => void
}

/** Returns the caller's client, or the client of the model's connection. Loads the resource first. */
export async function clientFor(
  resource: Resource,
  { client }: CallOptions
): Promise<QueryClientContract> {
  if (!resource.isLoaded) await resource.load(client)
  return client ?? resource.client()
}
