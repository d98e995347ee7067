import type { Query } from './dialect.js'
import { OutOfTime, timeLeft } from './time_limit.js'

/**
 * Runs a query builder on a server, whose statement is cancelled when the time is over. Lucid takes a connection
 * of its own for it, so the statement can't be limited beforehand.
 *
 * @throws OutOfTime
 */
export async function endedInTime<Result>(
  query: Query,
  run: () => PromiseLike<Result>
): Promise<Result> {
  const left = timeLeft()
  if (left === undefined) return await run()
  query.timeout(left, { cancel: true })
  try {
    return await run()
  } catch (error) {
    /* An error for want of a connection has no number. */
    const { name, timeout } = error as { name?: string; timeout?: unknown }
    throw name === 'KnexTimeoutError' && typeof timeout === 'number' ? new OutOfTime() : error
  }
}
