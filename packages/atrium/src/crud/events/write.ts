import { isSame, toJson, toApi } from '#base/values/to_api'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import type { KeyValue } from '#base/columns/key'
import type { Resource } from '../resource/resource.js'
import type { Actor, Origin } from '../types.js'
import { storedRowOf } from '../lucid/stored_rows.js'
import type { PivotChange } from '#base/database/pivot_change'
import { loggedColumns } from './reversal.js'

/** Values of a record by API name, without hidden columns and secrets. */
export type State = Record<string, unknown>

/** Changes of a write, by API name. */
export type Changes = Record<string, { old: unknown; new: unknown }>

type Attributes = Record<string, unknown>
type Row = Record<string, unknown>

export interface WriteOrigin {
  actor: Actor
  origin: Origin | undefined
  /** The row before the write, as `Dialect.select` returns it; null for a new record */
  row?: Row | null
  /** True if the database performs the write, because of a foreign key */
  caused?: boolean
  /** True if only the record's relations change, and its row is not changed */
  leavesRow?: boolean
}

/** One created, updated or deleted record. State and changes are computed on first use. */
export class Write {
  readonly kind: 'create' | 'update' | 'delete'
  /** True if the deletion only marked the record */
  readonly soft: boolean
  /** True if the update restored a soft-deleted record */
  readonly restored: boolean
  /** The actor of the write */
  readonly actor: Actor
  /** Origin of the request that caused the write, if any */
  readonly origin: Origin | undefined
  /** True if the database performed the write because of another write and a foreign key */
  readonly caused: boolean
  /**
   * Rows before and after the write, as `Dialect.select` returns them; null without a row. Undefined if they were
   * not read
   */
  readonly rows: { before?: Row | null; after?: Row | null }
  /** True if too many records were deleted with this one to read them */
  hasUnread = false
  /** Pivot rows that were added and removed with the write */
  readonly pivots: PivotChange[] = []
  /** True if relations of the record changed, and `pivots` does not contain the changed rows */
  hasUnreportedRelations = false
  /** True if the row is the same before and after the write */
  readonly leavesRow: boolean
  #old: Values | null
  #new: Values | null
  #record: LucidRow | (() => LucidRow)
  #before: State | null | undefined
  #after: State | null | undefined
  #changes: Changes | undefined
  /** Changes of the record's many-to-many relations */
  readonly #others: Changes = {}

  /**
   * @param record  the record, or a function that creates it when it is needed
   * @param before  the attributes before the write; null for a new record
   * @param after   the attributes after the write; null for a deleted record
   */
  constructor(
    readonly resource: Resource,
    record: LucidRow | (() => LucidRow),
    before: Attributes | null,
    after: Attributes | null,
    { actor, origin, row, caused = false, leavesRow = false }: WriteOrigin
  ) {
    this.#record = record
    this.actor = actor
    this.origin = origin
    this.caused = caused
    this.leavesRow = leavesRow
    this.rows = { before: before === null ? null : row, after: after === null ? null : undefined }
    this.#old = before && new Values(before)
    this.#new = after && new Values(after)
    const wasMarked = this.#isMarked(before)
    const isMarked = this.#isMarked(after)
    this.soft = wasMarked === false && isMarked === true
    this.restored = wasMarked === true && isMarked === false
    this.kind = before === null ? 'create' : after === null || this.soft ? 'delete' : 'update'
  }

  /**
   * Returns the write for a new or changed record of a model without conversion or hooks.
   *
   * @param before  the row before the write, as `Dialect.select` returns it; null for a new record
   * @param after   the row after the write
   */
  static ofRow(
    resource: Resource,
    before: Row | null,
    after: Row,
    client: QueryClientContract,
    { actor, origin }: Pick<WriteOrigin, 'actor' | 'origin'>
  ): Write {
    const record = () => resource.reader.recordOfRow(client, after)
    const [old, now] = [before, after].map((row) => row && attributesOf(resource, row))
    const write = new Write(resource, record, old, now, { actor, origin, row: before })
    write.rows.after = after
    if (before) write.#old = new Values(old!, before)
    write.#new = new Values(now!, after)
    return write
  }

  get record(): LucidRow {
    if (typeof this.#record === 'function') this.#record = this.#record()
    return this.#record
  }

  get model(): LucidModel {
    return this.resource.model
  }

  get key(): KeyValue {
    return this.resource.key.of((this.#new ?? this.#old)!.attributes)
  }

  /** State before the write; null for a new record */
  get before(): State | null {
    if (this.#before === undefined) this.#before = this.#stateOf(this.#old, 'old')
    return this.#before
  }

  /** State after the write; null for a deleted record */
  get after(): State | null {
    if (this.#after === undefined) this.#after = this.#stateOf(this.#new, 'new')
    return this.#after
  }

  get changes(): Changes {
    if (this.#changes) return this.#changes
    const { before, after } = this
    const changes: Changes = {}
    for (const column of loggedColumns(this.resource)) {
      if (!this.#changed(column)) continue
      const { apiName } = column
      changes[apiName] = { old: before?.[apiName] ?? null, new: after?.[apiName] ?? null }
    }
    for (const name of Object.keys(this.#others)) {
      changes[name] = { old: before?.[name] ?? null, new: after?.[name] ?? null }
    }
    return (this.#changes = changes)
  }

  /** True if any value changed */
  get isChange(): boolean {
    if (Object.keys(this.#others).length > 0) return true
    return this.resource.columns.all.some((column) => this.#changed(column))
  }

  /**
   * True if only the update timestamp changed, because the same values were written again. The record retains the new
   * timestamp; a log entry for each such write would let callers flood the log.
   */
  get isRepetition(): boolean {
    const { updatedAt } = this.resource
    return this.resource.columns.all.every(
      (column) => column === updatedAt || !this.#changed(column)
    )
  }

  /** True if a column changed that `changes` does not contain */
  get changesUnreported(): boolean {
    const logged = loggedColumns(this.resource)
    return this.resource.columns.all.some(
      (column) => !logged.includes(column) && this.#changed(column)
    )
  }

  /** Adds changes of the record's relations: the keys of the related records, by relation name. */
  addChanges(changes: Changes): void {
    Object.assign(this.#others, changes)
    this.#before = this.#after = this.#changes = undefined
  }

  /**
   * Completes a new record with the values that the database set: from the result of the write, or by reading the row.
   */
  async complete(client: QueryClientContract): Promise<void> {
    const { columns, key, reader } = this.resource
    if (this.#new === null || this.#new.row) return
    const { attributes } = this.#new
    const row = storedRowOf(this.record)
    if (row && !columns.all.some((column) => column.needsHydration)) {
      this.#new = new Values(attributes, row)
      this.#after = undefined
      this.#changes = undefined
      return
    }
    if (this.#old !== null) return
    if (columns.all.every(({ attribute }) => attributes[attribute] !== undefined)) return
    const stored = await reader.attributes(client, key.of(attributes))
    if (stored) this.#new = new Values({ ...attributes, ...stored })
    this.#after = undefined
    this.#changes = undefined
  }

  #stateOf(values: Values | null, side: 'old' | 'new'): State | null {
    if (values === null) return null
    const state: State = {}
    for (const column of loggedColumns(this.resource)) {
      const { attribute, apiName, serialize } = column
      state[apiName] = serialize
        ? toJson(serialize(values.attributes[attribute], attribute, this.record))
        : values.of(column)
    }
    for (const [name, change] of Object.entries(this.#others)) state[name] = change[side]
    return state
  }

  /**
   * True if the column changed. Compares the values themselves, because a custom `serialize` of the column can make
   * different values look equal.
   */
  #changed(column: Column): boolean {
    return !isSame(this.#old?.of(column) ?? null, this.#new?.of(column) ?? null)
  }

  #isMarked(attributes: Attributes | null): boolean | undefined {
    return attributes === null ? undefined : this.resource.softDelete?.marks(attributes)
  }
}

/** Returns the values of a row by attribute name. */
function attributesOf({ columns }: Resource, row: Row): Attributes {
  const attributes: Attributes = {}
  for (const { attribute, name } of columns.all) attributes[attribute] = row[name]
  return attributes
}

/** The API values of a record, each computed once. */
class Values {
  readonly #known = new Map<Column, unknown>()

  /** @param row  the database row, if it was read; it is used instead of `attributes`, which can be incomplete */
  constructor(
    readonly attributes: Attributes,
    readonly row?: Record<string, unknown>
  ) {}

  of(column: Column): unknown {
    if (!this.#known.has(column)) {
      const value = this.row ? this.row[column.name] : this.attributes[column.attribute]
      this.#known.set(column, toJson(toApi(column, value)))
    }
    return this.#known.get(column)
  }
}
