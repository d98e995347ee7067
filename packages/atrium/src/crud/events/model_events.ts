import { BaseEvent } from '@adonisjs/core/events'
import emitter from '@adonisjs/core/services/emitter'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Actor } from '../types.js'
import type { Changes, Write } from './write.js'

/** A record of a decorated model was written and committed. */
class ModelEvent extends BaseEvent {
  /** The model's class */
  readonly model: LucidModel
  /** The actor of the write */
  readonly actor: Actor
  readonly #write: Write

  constructor(write: Write) {
    super()
    this.model = write.model
    this.actor = write.actor
    this.#write = write
  }

  /**
   * The record after the write. It is detached from the completed transaction, so that a listener can write it again
   */
  get record(): LucidRow {
    const { record } = this.#write
    if (record.$trx?.isCompleted) record.$trx = undefined
    return record
  }

  /** The changes by API name, without hidden columns and secrets */
  get changes(): Changes {
    return this.#write.changes
  }
}

/** A record was created. */
export class ModelCreated extends ModelEvent {}

/** A record was updated, or a soft-deleted one restored. */
export class ModelUpdated extends ModelEvent {}

/** A record was deleted. */
export class ModelDeleted extends ModelEvent {
  /** True if the record was only marked deleted */
  readonly soft: boolean

  constructor(write: Write) {
    super(write)
    this.soft = write.soft
  }
}

const EVENTS = { create: ModelCreated, update: ModelUpdated, delete: ModelDeleted }

/** True if there is a listener for the event of a write. */
export function isHeard({ kind }: Write): boolean {
  return emitter.hasListeners(EVENTS[kind])
}

/** True if there is a listener for any event of writes. */
export function hasListeners(): boolean {
  return Object.values(EVENTS).some((event) => emitter.hasListeners(event))
}

/** Emits the event of a write. The caller reports a listener that fails. */
export async function emitWrite(write: Write): Promise<void> {
  await EVENTS[write.kind].dispatch(write)
}
