import { setImmediate } from 'node:timers/promises'

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
