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
