import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ResponseBudget } from '../http/response_budget.js'
import type { Fields } from '#base/columns/fields'
import type { IncludedRelation } from '../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { Actor, Item, Origin } from '../types.js'
import type { RelatedWrites } from './related/related_writes.js'

/** The options of every operation. */
export interface CallOptions {
  /** The database client; a transaction's, to be part of it [P8] */
  client?: QueryClientContract
  /**
   * True if a write needs no savepoint in the client's transaction, as its failure is that of the transaction or of a
   * part that the caller rolls back
   */
  joins?: boolean
  /** The actor that policy and scope apply to [P14] */
  actor?: Actor
  /** Origin of the request, if there was one; for events */
  origin?: Origin
  /** Memory budget of a list; without it, the memory is not limited */
  budget?: ResponseBudget
  /** True if the actor can list deleted items. Default: the model's `showDeleted` */
  showsDeleted?: boolean
  /** Names of files that were uploaded for this write; file columns accept no others [B17] */
  files?: ReadonlySet<string>
}

/** The options of the overridable methods: the caller's, with the write's own transaction. [P8] */
export interface HookOptions extends CallOptions {
  client: TransactionClientContract
}

/** The options of an operation that may see soft-deleted items. */
export interface SelectOptions extends CallOptions {
  deleted?: DeletedMode
}

/** The options of the read of one record. */
export interface FindOptions extends SelectOptions {
  /** True to lock the row until the end of the transaction; ignored without one */
  lock?: boolean
}

/** The options of the read of one item. */
export interface ReadOptions extends FindOptions {
  /** API names, as in `id,name` or a list of them; undefined: all fields [Q2] */
  fields?: string | Iterable<string> | Fields
  /** Declared relations to include, as in `distributor` or a list of them [Q3] */
  include?: string | Iterable<string | IncludedRelation>
}

/** The options of a write of one item. */
export interface WriteOptions extends CallOptions {
  /** Called with the locked record; if it throws, the error is the response and nothing is written */
  precondition?: (record: LucidRow) => void | Promise<void>
}

/** The options of a create. */
export interface CreateOptions extends CallOptions {
  /** Records to attach by many-to-many relations [R3] */
  related?: RelatedWrites
}

/** The options of an update. */
export interface UpdateOptions extends WriteOptions {
  /** The record of the key as `locateBy` has read and locked it in this very transaction */
  located?: LucidRow
  /** Records that many-to-many relations are to have [R3] */
  related?: RelatedWrites
  /** True to return the changed item, if the actor may read it */
  returning?: boolean
  /** Called before the commit with the updated item, if the actor can see and may read it */
  written?: (item: Item) => void
}
