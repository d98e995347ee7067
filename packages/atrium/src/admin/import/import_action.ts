import { DateTime } from 'luxon'
import { actorDetails, eventActor } from '../events/event_actor.js'
import type { AdminEvent, EventRecord } from '../events/event_integration.js'
import { EventType } from '../events/event_type.js'
import { LongAction, type By } from '../events/long_action.js'
import type { Importer } from './importer.js'
import type { Tally } from './tally.js'

/**
 * The event of an import, of which all writes of the importer are a part. [D3]
 */
export class ImportAction extends LongAction {
  /**
   * @param eventId  of the event, if an earlier part has logged it
   */
  constructor(
    private readonly importer: Importer,
    private readonly file: string,
    private readonly tally: Tally,
    eventId: number | null
  ) {
    super(eventId)
    this.of(importer)
  }

  event({ actor, origin }: By, records: EventRecord[]): AdminEvent {
    const { new: created, changed, unchanged, faulty } = this.tally.counts
    return {
      type: EventType.IMPORT,
      status: 'success',
      timestamp: DateTime.utc(),
      ...eventActor({ actor, origin }),
      resourceType: this.importer.view.name,
      resourceId: null,
      details: {
        count: created + changed,
        file: this.file,
        new: created,
        changed,
        unchanged,
        faulty,
        ...(origin?.jobId && { job: origin.jobId }),
        ...actorDetails(actor),
      },
      records,
    }
  }

  /** The event of all rows, whose numbers are complete. */
  get end(): AdminEvent {
    return this.event(this.importer, [])
  }
}
