import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '../resource/column.js'
import type { KeyValue } from '../resource/key.js'
import type { Resource } from '../resource/resource.js'
import type { Actor, Origin } from '../types.js'
import { writeJson } from '../values/json.js'
import { storedRowOf } from '../lucid/stored_rows.js'
import { toWire } from '../values/to_api.js'
import { toldColumns } from './secrets.js'

/**
 * The values of a record by wire name; hidden columns and secrets are left out. [E4]
 */
export type State = Record<string, unknown>

/**
 * What a write changed, by wire name. [E1]
 */
export type Changes = Record<string, { old: unknown; new: unknown }>

type Attributes = Record<string, unknown>

/**
 * One record that was created, updated or deleted. What it was and is gets worked out when somebody
 * asks.
 */
export class Write {
  readonly kind: 'create' | 'update' | 'delete'
  /** Whether the deletion only marked the record [A21] */
  readonly soft: boolean
  /** Whether the update took a soft deletion back [B16] */
  readonly restored: boolean
  /** Who did it */
  readonly actor: Actor
  /** Where the request came from, if it was one */
  readonly origin: Origin | undefined
  readonly #old: Values | null
  #new: Values | null
  #before: State | null | undefined
  #after: State | null | undefined
  #changes: Changes | undefined
  /** Of what is no column: the record's many-to-many relations */
  readonly #others: Changes = {}

  /**
   * @param before  the attributes as they were; null for a new record
   * @param after   the attributes as they are; null for a removed one
   */
  constructor(
    readonly resource: Resource,
    readonly record: LucidRow,
    before: Attributes | null,
    after: Attributes | null,
    { actor, origin }: { actor: Actor; origin: Origin | undefined }
  ) {
    this.actor = actor
    this.origin = origin
    this.#old = before && new Values(before)
    this.#new = after && new Values(after)
    const wasMarked = this.#isMarked(before)
    const isMarked = this.#isMarked(after)
    this.soft = wasMarked === false && isMarked === true
    this.restored = wasMarked === true && isMarked === false
    this.kind = before === null ? 'create' : after === null || this.soft ? 'delete' : 'update'
  }

  get model(): LucidModel {
    return this.resource.model
  }

  get key(): KeyValue {
    return this.resource.key.of((this.#new ?? this.#old)!.attributes)
  }

  /** Null for a new record */
  get before(): State | null {
    if (this.#before === undefined) this.#before = this.#stateOf(this.#old, 'old')
    return this.#before
  }

  /** Null for a removed one */
  get after(): State | null {
    if (this.#after === undefined) this.#after = this.#stateOf(this.#new, 'new')
    return this.#after
  }

  get changes(): Changes {
    if (this.#changes) return this.#changes
    const { before, after } = this
    const changes: Changes = {}
    for (const column of toldColumns(this.resource)) {
      if (!this.#changed(column)) continue
      const { wire } = column
      changes[wire] = { old: before?.[wire] ?? null, new: after?.[wire] ?? null }
    }
    for (const name of Object.keys(this.#others)) {
      changes[name] = { old: before?.[name] ?? null, new: after?.[name] ?? null }
    }
    return (this.#changes = changes)
  }

  /** Whether anything is otherwise than before */
  get isChange(): boolean {
    if (Object.keys(this.#others).length > 0) return true
    return this.resource.columns.all.some((column) => this.#changed(column))
  }

  /**
   * Whether nothing is otherwise but the time of the update: the same values were written again. The
   * time says so of the record [A23]; strangers could fill the log with it.
   */
  get isRepetition(): boolean {
    const { updatedAt } = this.resource
    return this.resource.columns.all.every(
      (column) => column === updatedAt || !this.#changed(column)
    )
  }

  /** Whether something changed that `changes` does not tell */
  get changesUntold(): boolean {
    const told = toldColumns(this.resource)
    return this.resource.columns.all.some(
      (column) => !told.includes(column) && this.#changed(column)
    )
  }

  /**
   * Adds what became of the record's relations: the keys of the related records, by the relation's name.
   */
  addChanges(changes: Changes): void {
    Object.assign(this.#others, changes)
    this.#before = this.#after = this.#changes = undefined
  }

  /**
   * Takes the row for what it is where the write told it; else reads what the database filled in of a
   * new record, which the instance does not know.
   */
  async complete(client: QueryClientContract): Promise<void> {
    const { columns, key, reader } = this.resource
    if (this.#new === null) return
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
    for (const column of toldColumns(this.resource)) {
      const { attribute, wire, serialize } = column
      state[wire] = serialize
        ? toJson(serialize(values.attributes[attribute], attribute, this.record))
        : values.of(column)
    }
    for (const [name, change] of Object.entries(this.#others)) state[name] = change[side]
    return state
  }

  /** By the values themselves: a column's own `serialize` may make different ones look the same. */
  #changed(column: Column): boolean {
    return !isSame(this.#old?.of(column) ?? null, this.#new?.of(column) ?? null)
  }

  #isMarked(attributes: Attributes | null): boolean | undefined {
    return attributes === null ? undefined : this.resource.softDelete?.marks(attributes)
  }
}

/**
 * The wire's values of a record, each worked out once.
 */
class Values {
  readonly #known = new Map<Column, unknown>()

  /**
   * @param row  the row itself, where that is known: what it holds is what there is
   */
  constructor(
    readonly attributes: Attributes,
    private readonly row?: Record<string, unknown>
  ) {}

  of(column: Column): unknown {
    if (!this.#known.has(column)) {
      const value = this.row ? this.row[column.name] : this.attributes[column.attribute]
      this.#known.set(column, toJson(toWire(column, value)))
    }
    return this.#known.get(column)
  }
}

/**
 * Whether a column has the same value in both.
 */
export function isSameValue(column: Column, one: Attributes, other: Attributes): boolean {
  return isSame(wireValue(column, one), wireValue(column, other))
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function wireValue(column: Column, attributes: Attributes): unknown {
  return toJson(toWire(column, attributes[column.attribute]))
}

/**
 * What JSON makes of a value, so that nobody can change it afterwards and everybody can write it down.
 */
export function toJson(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : plain(value)
    case 'number':
      return Number.isFinite(value) ? value : null
    default:
      return value ?? null
  }
}

function plain(value: object): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  try {
    const json = JSON.stringify(value, (_key, part) =>
      typeof part === 'bigint' ? String(part) : part
    )
    return json === undefined ? null : JSON.parse(json)
  } catch (error) {
    /* It nests too deep, or refers to itself, say. A write must not fail of it. */
    return error instanceof RangeError ? writeJson(value) : String(value)
  }
}
