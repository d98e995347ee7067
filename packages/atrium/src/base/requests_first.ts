import { channel } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'

/* Milliseconds that work waits for requests, so that it continues under any load */
const LONGEST_WAIT = 50

/* Milliseconds without work in the background, after which requests are watched no more */
const IDLE = 5000

const requests = channel('http.server.request.start')
const underWay = new Set<ServerResponse>()

let lastRequested = 0
let isWatching = false

/**
 * Lets requests of this process go first: waits until each has begun its response. Background work
 * that calls it between parts of a few milliseconds delays no page. [D6]
 *
 * @param longest  milliseconds of the wait at the most
 */
export async function requestsFirst(longest = LONGEST_WAIT): Promise<void> {
  lastRequested = performance.now()
  if (!isWatching) watch()
  await setImmediate()
  const end = performance.now() + longest
  while (areUnderWay() && performance.now() < end) await setTimeout(1)
}

function watch(): void {
  isWatching = true
  requests.subscribe(note)
}

function note(message: unknown): void {
  if (performance.now() - lastRequested < IDLE) {
    underWay.add((message as { response: ServerResponse }).response)
    return
  }
  requests.unsubscribe(note)
  isWatching = false
  underWay.clear()
}

/** A response that has begun may be a long file for a slow client. */
function areUnderWay(): boolean {
  for (const response of underWay) {
    if (response.headersSent || response.destroyed) underWay.delete(response)
  }
  return underWay.size > 0
}
