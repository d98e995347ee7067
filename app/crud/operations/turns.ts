import { setImmediate } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/**
 * Waits for a turn of the event loop that nobody else has who asks here: of several long answers that are
 * made at once, one part is made in a turn, and short requests come in between. [A29]
 */
export async function nextTurn(): Promise<void> {
  const mine = last.then(() => setImmediate())
  last = mine
  await mine
}
