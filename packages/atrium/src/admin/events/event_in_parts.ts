import type { AdminEvent, EventDetails, EventRecord } from './event_integration.js'
import { LongAction, type By, type PartEvent } from './long_action.js'

/** Logged data of an event, as stored in the notes of a job */
export interface LoggedParts {
  /**
   * Id of the event; null if nothing is logged yet, or if the log is in another database and the id is not known yet
   */
  event: number | null
  /** Class name of the event's model; null: the model of the first record */
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
