import { setImmediate as onNextTurn } from 'node:timers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { channel } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

/* Maximum number of milliseconds of an event loop turn; after that, long-running work lets other requests run */
const LONG_TURN = 5

let last: Promise<unknown> = Promise.resolve()

/**
 * Waits for a separate turn of the event loop: of several long responses, only one part is written per turn, and short
 * requests run in between.
 */
export async function nextEventLoopTurn(): Promise<void> {
  const mine = last.then(() => setImmediate())
  last = mine
  await mine
}

/**
 * Maps a list in parts, each in a separate turn of the event loop; a list with a single part does not wait.
 *
 * @param size  number of items that are mapped without a break
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  size: number,
  map: (item: Item, index: number) => Result
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % size === 0) await nextEventLoopTurn()
    results.push(map(item, index))
  }
  return results
}

let turnBegan: number | undefined

/** True if the work has used most of this event loop turn, so that other requests are waiting. */
export function isLongTurn(): boolean {
  const now = performance.now()
  if (turnBegan === undefined) {
    turnBegan = now
    onNextTurn(() => (turnBegan = undefined))
  }
  return now - turnBegan > LONG_TURN
}

/**
 * Lets other requests run if this event loop turn is long. Work that does not wait otherwise calls this between rows.
 */
export async function endLongTurn(): Promise<void> {
  if (isLongTurn()) await setImmediate()
}

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
