import { channel } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'

/* Maximum number of milliseconds that work waits for requests, so that it continues under any load */
const LONGEST_WAIT = 50

/* Milliseconds without background work after which requests are no longer observed */
const IDLE = 5000

const requests = channel('http.server.request.start')
const underWay = new Set<ServerResponse>()

let lastRequested = 0
let isWatching = false

/**
 * Gives requests of this process priority: waits until the response of each has begun. Background work that calls this
 * function every few milliseconds does not delay pages.
 *
 * @param longest  maximum number of milliseconds to wait
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

/**
 * True if requests are waiting for their responses. A response that has begun does not count, because it could be a
 * long file for a slow client.
 */
function areUnderWay(): boolean {
  for (const response of underWay) {
    if (response.headersSent || response.destroyed) underWay.delete(response)
  }
  return underWay.size > 0
}
