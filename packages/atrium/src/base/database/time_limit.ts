import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { Query } from './dialect.js'

/* When the time of the work is over, by the clock of `performance` */
const ends = new AsyncLocalStorage<number>()

/** The database would take longer than the work may. */
export class OutOfTime extends Error {
  constructor() {
    super('The time for this work is over')
  }
}

/**
 * Runs work whose reads the database cancels when the time is over, so that a client that gives up leaves no statements
 * behind. Reads of a transaction go on, and those of `better-sqlite3`, which nothing can stop.
 *
 * @param milliseconds  for all of the work; an outer limit that is shorter stays
 * @throws OutOfTime  from the read that the time is over for
 */
export async function withinTime<Result>(
  milliseconds: number,
  work: () => Promise<Result>
): Promise<Result> {
  const end = performance.now() + milliseconds
  return await ends.run(Math.min(end, ends.getStore() ?? end), work)
}

/**
 * The milliseconds that a read may take, at least 1; undefined without a limit.
 *
 * @throws OutOfTime  when the time is over
 */
export function timeLeft(): number | undefined {
  const end = ends.getStore()
  if (end === undefined) return undefined
  const left = end - performance.now()
  if (left <= 0) throw new OutOfTime()
  return Math.ceil(left)
}

/** True for work with a limit. */
export function isTimeLimited(): boolean {
  return ends.getStore() !== undefined
}

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
