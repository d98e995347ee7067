import { DateTime } from 'luxon'
import type { Actor, Write } from '#crud'
import type { Origin } from '#crud/internals'
import { eventActor, isCutShort } from './event_actor.js'
import type { AdminEvent, EventDetails, EventRecord } from './event_integration.js'
import type { EventType } from './event_type.js'

const ACTIONS = new WeakMap<object, LongAction>()

interface By {
  actor: Actor
  origin: Origin | undefined
}

/**
 * An action of several transactions that is one event in the log, as an import. [D3, E3]
 */
export class LongAction {
  #logging: Promise<unknown> = Promise.resolve()

  /**
   * @param eventId  of its event, if an earlier transaction has logged it
   * @param details  of the event so far; asked at each part
   * @param owner    the event's user, if it is another one than the actor
   */
  constructor(
    private readonly type: EventType,
    private readonly model: string,
    public eventId: number | null,
    private readonly details: () => EventDetails,
    private readonly owner?: { id: number; username: string }
  ) {}

  /** Makes the writes of an actor, with an origin if there is one, parts of this action. */
  of({ actor, origin }: By): this {
    ACTIONS.set(origin ?? actor, this)
    return this
  }

  /** The event so far, with the records of a part. */
  event({ actor, origin }: By, records: EventRecord[]): AdminEvent {
    return {
      type: this.type,
      status: 'success',
      timestamp: DateTime.utc(),
      ...eventActor({ actor, origin }),
      ...(this.owner && { userId: this.owner.id, username: this.owner.username }),
      resourceType: this.model,
      resourceId: null,
      details: {
        ...this.details(),
        ...(origin?.jobId && { job: origin.jobId }),
        ...(!this.owner && isCutShort(actor) && { system_name: actor.name }),
      },
      records,
    }
  }

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
  return ACTIONS.get(origin ?? actor)
}
