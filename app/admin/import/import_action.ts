import { EventType } from '../events/event_type.js'
import { LongAction } from '../events/long_action.js'
import type { Importer } from './importer.js'
import type { Tally } from './tally.js'

/**
 * The event of an import, of which all writes of the importer are a part. [D3]
 *
 * @param eventId  of the event, if an earlier part has logged it
 */
export function importAction(
  importer: Importer,
  file: string,
  tally: Tally,
  eventId: number | null
): LongAction {
  const action = new LongAction(EventType.IMPORT, importer.view.name, eventId, () => {
    const { new: created, changed, unchanged, faulty } = tally.counts
    return { count: created + changed, file, new: created, changed, unchanged, faulty }
  })
  return action.of(importer)
}
