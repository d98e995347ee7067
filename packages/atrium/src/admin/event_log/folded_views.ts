import { EventType } from '../events/event_integration.js'
import type AdminEventLog from '../models/admin_event_log.js'
import type { EventFilters } from './event_filters.js'

/** Fewer consecutive views are not folded */
const FOLDED_MIN = 3

/** Consecutive events of a page; folded if they are views of pages by one user. */
export interface EventGroup<Row> {
  rows: Row[]
  isFolded: boolean
}

/**
 * Divides the events of a page into groups: views of one user that follow each other can be folded, as most events
 * are views, and say less than changes.
 *
 * @param show  returns the variables of an event's row
 */
export function foldViews<Row>(
  events: readonly AdminEventLog[],
  { values }: EventFilters,
  show: (event: AdminEventLog) => Row
): Array<EventGroup<Row>> {
  const runs: AdminEventLog[][] = []
  for (const event of events) {
    const run = runs.at(-1)
    const isSame = run && isView(run[0]) === isView(event)
    if (isSame && (!isView(event) || run[0].username === event.username)) run.push(event)
    else runs.push([event])
  }
  return runs.map((run) => ({
    rows: run.map(show),
    isFolded: isView(run[0]) && run.length >= FOLDED_MIN && values.event_type !== EventType.VIEW,
  }))
}

function isView({ eventType, status }: AdminEventLog): boolean {
  return eventType === EventType.VIEW && status === 'success'
}
