import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { KeyValue } from '../resource/key.js'
import type { Resource } from '../resource/resource.js'
import type { Actor, Origin } from '../types.js'
import { toWire } from '../values/to_wire.js'

/**
 * The values of a record by wire name, hidden columns left out. [E4]
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
  /** Who did it */
  readonly actor: Actor
  /** Where the request came from, if it was one */
  readonly origin: Origin | undefined
  readonly #old: Attributes | null
  #new: Attributes | null

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
    this.#old = before
    this.#new = after
    this.soft = before !== null && after !== null && this.#marks()
    this.kind = before === null ? 'create' : after === null || this.soft ? 'delete' : 'update'
  }

  get model(): LucidModel {
    return this.resource.model
  }

  get key(): KeyValue {
    return this.resource.key.of((this.#new ?? this.#old)!)
  }

  /** Null for a new record */
  get before(): State | null {
    return this.#old && this.#stateOf(this.#old)
  }

  /** Null for a removed one */
  get after(): State | null {
    return this.#new && this.#stateOf(this.#new)
  }

  get changes(): Changes {
    const { before, after } = this
    const changes: Changes = {}
    for (const { wire } of this.resource.columns.visible) {
      const pair = { old: before?.[wire] ?? null, new: after?.[wire] ?? null }
      if (JSON.stringify(pair.old) !== JSON.stringify(pair.new)) changes[wire] = pair
    }
    return changes
  }

  /**
   * Reads what the database filled in of a new record, which the instance does not know.
   */
  async complete(client: QueryClientContract): Promise<void> {
    const { columns, model, key } = this.resource
    const isWhole = columns.all.every(({ attribute }) => this.#new?.[attribute] !== undefined)
    if (this.#old !== null || this.#new === null || isWhole) return
    const row = await this.resource.reader.row(client, key.of(this.#new))
    const stored = row && model.$createFromAdapterResult(row)
    if (stored) this.#new = { ...this.#new, ...stored.$attributes }
  }

  #stateOf(attributes: Attributes): State {
    return Object.fromEntries(
      this.resource.columns.visible.map((column) => [
        column.wire,
        toWire(column, attributes[column.attribute]),
      ])
    )
  }

  /** A record is deleted softly when it was not marked before, and is now. */
  #marks(): boolean {
    const { softDelete } = this.resource
    return softDelete !== undefined && !softDelete.marks(this.#old!) && softDelete.marks(this.#new!)
  }
}
