import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { Query } from './dialect.js'

/* End of the time limit, as a time of `performance.now()` */
const ends = new AsyncLocalStorage<number>()

/** Thrown when the database would exceed the time limit of the work. */
export class OutOfTime extends Error {
  constructor() {
    super('The time for this work is over')
  }
}

/**
 * Runs work whose reads the database cancels when the time limit is exceeded, so that no statements remain after a
 * client gives up. Reads in a transaction and reads of `better-sqlite3` cannot be cancelled.
 *
 * @param milliseconds  limit for all of the work; a shorter outer limit still applies
 * @throws OutOfTime  from the read that exceeds the limit
 */
export async function withinTime<Result>(
  milliseconds: number,
  work: () => Promise<Result>
): Promise<Result> {
  const end = performance.now() + milliseconds
  return await ends.run(Math.min(end, ends.getStore() ?? end), work)
}

/**
 * Like `withinTime`, for work whose result is optional.
 *
 * @returns null when the time limit is exceeded, even if the database cannot cancel the read
 */
export async function resultWithin<Result>(
  time: number,
  work: () => Promise<Result>
): Promise<Result | null> {
  const working = withinTime(time, work).catch((error: unknown) => {
    if (error instanceof OutOfTime) return null
    throw error
  })
  working.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), time)
  })
  try {
    return await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the number of milliseconds that remain for a read, at least 1; undefined without a limit.
 *
 * @throws OutOfTime  when the time limit is exceeded
 */
export function timeLeft(): number | undefined {
  const end = ends.getStore()
  if (end === undefined) return undefined
  const left = end - performance.now()
  if (left <= 0) throw new OutOfTime()
  return Math.ceil(left)
}

/** True within work that has a time limit. */
export function isTimeLimited(): boolean {
  return ends.getStore() !== undefined
}

/**
 * Runs a query, and cancels its statement on the database server when the time limit is exceeded. The limit is set on
 * the query, because Lucid acquires the connection only when the query runs.
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
    /* If no connection is free, Knex throws an error of the same name, whose `timeout` is not a number. */
    const { name, timeout } = error as { name?: string; timeout?: unknown }
    throw name === 'KnexTimeoutError' && typeof timeout === 'number' ? new OutOfTime() : error
  }
}
