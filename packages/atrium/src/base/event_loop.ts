import { setImmediate as onNextTurn } from 'node:timers'
import { setImmediate } from 'node:timers/promises'

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
