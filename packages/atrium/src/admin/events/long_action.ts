import type { HttpContext } from '@adonisjs/core/http'
import type { Actor, Write } from '#crud'
import type { Origin } from '#base/types'
import { contextOfOrigin } from '../identity/admin_actor.js'
import type { AdminEvent, EventRecord, EventDetails } from './event_integration.js'

const ACTIONS = new WeakMap<object, LongAction>()

export interface By {
  actor: Actor
  origin: Origin | undefined
}

/** The event for the writes of a single transaction */
export interface PartEvent {
  event: AdminEvent
  /** Number of written records of the event's model */
  count: number
}

/** An action of several transactions that is logged as one event, such as an import. */
export abstract class LongAction {
  #logging: Promise<unknown> = Promise.resolve()

  /** @param eventId  id of the event, if an earlier transaction has logged it */
  constructor(public eventId: number | null) {}

  /** Assigns the writes of an actor, or of an origin if there is one, to this action. */
  of({ actor, origin }: By): this {
    ACTIONS.set(origin ?? actor, this)
    return this
  }

  /** Assigns all writes of a context to this action. */
  ofContext(ctx: HttpContext): this {
    ACTIONS.set(ctx, this)
    return this
  }

  /**
   * Returns the event so far, with the records of a part.
   *
   * @param ofPart  returns the event of the part alone. Default of `model`: the model of the first record
   */
  abstract event(by: By, records: EventRecord[], ofPart: (model?: string) => PartEvent): AdminEvent

  /** Logs parts one after the other, if the log is in another database than the records. */
  logAfter(log: (partOf: number | undefined) => Promise<number | void>): void {
    this.#logging = this.#logging.then(async () => {
      const id = await log(this.eventId ?? undefined)
      if (typeof id === 'number') this.eventId = id
    })
  }

  /** Waits until all previous parts are logged. */
  async settle(): Promise<void> {
    await this.#logging
  }
}

/** Returns the action that a write is part of, or undefined if the write is not part of a long action. */
export function longActionOf({
  actor,
  origin,
}: Pick<Write, 'actor' | 'origin'>): LongAction | undefined {
  const ctx = contextOfOrigin(origin)
  return ACTIONS.get(origin ?? actor) ?? (ctx && ACTIONS.get(ctx))
}

/** Logged data of an event, as stored in the notes of a job */
export interface LoggedParts {
  /**
   * Id of the event; null if nothing is logged yet, or if the log is in another database and the id is not known yet
   */
  event: number | null
  /** Class name of the event's model; null for the model of the first record */
  model: string | null
  /** Number of records of the model */
  count: number
  details: EventDetails | null
}

/** Logs the writes of several transactions as one event. */
export class EventInParts extends LongAction {
  #logged: LoggedParts

  /**
   * @param logged  data logged by the earlier transactions
   * @param owner   user of the event, if it differs from the actor
   */
  constructor(
    logged: LoggedParts,
    private readonly owner?: { id: number; username: string }
  ) {
    super(logged.event)
    this.#logged = logged
  }

  /** Logged data of all transactions so far, including this one */
  get logged(): LoggedParts {
    return { ...this.#logged, event: this.eventId }
  }

  event({ origin }: By, records: EventRecord[], ofPart: (model?: string) => PartEvent): AdminEvent {
    const { event: part, count: more } = ofPart(this.#logged.model ?? undefined)
    const count = this.#logged.count + more
    const details: EventDetails = {
      ...this.#logged.details,
      ...part.details,
      ...(count > 1 && { count }),
    }
    this.#logged = { ...this.#logged, model: part.resourceType, count, details }
    return {
      ...part,
      ...(this.owner && { userId: this.owner.id, username: this.owner.username }),
      resourceId: origin?.form?.id ?? null,
      details,
      records,
    }
  }
}

/** Returns the logged data of an event before anything is logged. */
export function nothingLogged(model: string | null): LoggedParts {
  return { event: null, model, count: 0, details: null }
}
