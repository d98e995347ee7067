import { setImmediate as onNextTurn } from 'node:timers'
import { setImmediate } from 'node:timers/promises'

/* Milliseconds of one turn of the event loop after which work lets requests in */
const LONG_TURN = 5

let last: Promise<unknown> = Promise.resolve()

/**
 * Waits for a separate turn of the event loop: of several long responses, one part is written per turn,
 * and short requests run in between. [A29]
 */
export async function nextEventLoopTurn(): Promise<void> {
  const mine = last.then(() => setImmediate())
  last = mine
  await mine
}

/**
 * Maps a list in parts, each in a turn of its own; a list of one part needs no turn.
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

/**
 * True if work that asks from time to time has taken most of this turn of the event loop: requests wait then.
 */
export function isLongTurn(): boolean {
  const now = performance.now()
  if (turnBegan === undefined) {
    turnBegan = now
    onNextTurn(() => (turnBegan = undefined))
  }
  return now - turnBegan > LONG_TURN
}

/** Lets requests in if this turn of the event loop is long. Work without a wait of its own calls it between rows. */
export async function endLongTurn(): Promise<void> {
  if (isLongTurn()) await setImmediate()
}
