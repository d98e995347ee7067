import type { HttpContext } from '@adonisjs/core/http'
import type { Actor, Write } from '#crud'
import type { Origin } from '#base/types'
import { contextOfOrigin } from '../identity/admin_actor.js'
import type { AdminEvent, EventRecord } from './event_integration.js'

const ACTIONS = new WeakMap<object, LongAction>()

export interface By {
  actor: Actor
  origin: Origin | undefined
}

/** The event that the writes of one transaction would be by themselves */
export interface PartEvent {
  event: AdminEvent
  /** Written records of the event's model */
  count: number
}

/**
 * An action of several transactions that is one event in the log, as an import. [D3, E3]
 */
export abstract class LongAction {
  #logging: Promise<unknown> = Promise.resolve()

  /**
   * @param eventId  of its event, if an earlier transaction has logged it
   */
  constructor(public eventId: number | null) {}

  /** Makes the writes of an actor, with an origin if there is one, parts of this action. */
  of({ actor, origin }: By): this {
    ACTIONS.set(origin ?? actor, this)
    return this
  }

  /** Makes all writes of a context parts of this action. */
  ofContext(ctx: HttpContext): this {
    ACTIONS.set(ctx, this)
    return this
  }

  /**
   * The event so far, with the records of a part.
   *
   * @param ofPart  the event of the part by itself. Default of `model`: that of its first record
   */
  abstract event(by: By, records: EventRecord[], ofPart: (model?: string) => PartEvent): AdminEvent

  /** Logs parts one after the other, where the log is in another place than the records. */
  logAfter(log: (partOf: number | undefined) => Promise<number | void>): void {
    this.#logging = this.#logging.then(async () => {
      const id = await log(this.eventId ?? undefined)
      if (typeof id === 'number') this.eventId = id
    })
  }

  /** Waits until all parts so far are logged. */
  async settle(): Promise<void> {
    await this.#logging
  }
}

/**
 * The action that a write is a part of, if it is one of several transactions.
 */
export function longActionOf({
  actor,
  origin,
}: Pick<Write, 'actor' | 'origin'>): LongAction | undefined {
  const ctx = contextOfOrigin(origin)
  return ACTIONS.get(origin ?? actor) ?? (ctx && ACTIONS.get(ctx))
}
