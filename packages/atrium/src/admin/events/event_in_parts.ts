import type { AdminEvent, EventDetails, EventRecord } from './event_integration.js'
import { LongAction, type By, type PartEvent } from './long_action.js'

/** What transactions have logged of an event, as the notes of a job hold it */
export interface LoggedParts {
  /** Id of the event; null: none has logged anything, or the log is in another place and not known yet */
  event: number | null
  /** Class name of the event's model; null: that of the first record */
  model: string | null
  /** Records of this model */
  count: number
  details: EventDetails | null
}

/**
 * The writes of several transactions as the one event that they would be in a single transaction.
 */
export class EventInParts extends LongAction {
  #logged: LoggedParts

  /**
   * @param logged  by the earlier transactions
   * @param owner   the event's user, if it is another one than the actor
   */
  constructor(
    logged: LoggedParts,
    private readonly owner?: { id: number; username: string }
  ) {
    super(logged.event)
    this.#logged = logged
  }

  /** What all transactions have logged, this action's included */
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

/** Nothing is logged of an event yet. */
export function nothingLogged(model: string | null): LoggedParts {
  return { event: null, model, count: 0, details: null }
}
