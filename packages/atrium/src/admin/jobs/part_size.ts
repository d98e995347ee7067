import { setTimeout as sleep } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { requestsFirst } from '#base/event_loop'
import { unavailability } from '#base/database/unavailable'
import { JobStopped, JobSuperseded } from './job_errors.js'
import type { Site } from '../views/site.js'
import type { WithJobs } from './jobs.js'
import { hasEventLog } from '../events/database_integration.js'

/* Maximum milliseconds that a part of a job should hold SQLite's only writer, which all other writers wait for */
const LONGEST = 150

/*
 * Maximum pause between two parts, in milliseconds. SQLite does not queue writers of different processes: a waiting
 * process tries again after 1 to 100 ms. The interval grows with the time that the process has waited, and is less than
 * half of it.
 */
const LONGEST_PAUSE = 100

const FIRST = 50
const LEAST = 5
/* Maximum number of records of a part: requests wait while its log entries are created */
const MOST = 200

/** Adapts the number of records that a job writes per transaction to the duration of the last ones. */
export class PartSize {
  #rows = FIRST
  #took = 0

  /** @param isShort  false for parts of unlimited size */
  constructor(private readonly isShort = true) {}

  get rows(): number {
    return this.isShort ? this.#rows : Infinity
  }

  /** Writes a number of records and adapts the size to the duration. */
  async measure<Result>(count: number, write: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    const result = await write()
    this.#took = Math.max(1, performance.now() - begun)
    const fit = (count * LONGEST) / this.#took
    /* Limits the change to a factor of 2, as the duration of a single part can be an outlier. */
    const next = Math.min(Math.max(fit, this.#rows / 2), this.#rows * 2)
    this.#rows = Math.round(Math.min(Math.max(next, LEAST), MOST))
    return result
  }

  /**
   * Lets other writers proceed before the next part: requests of this process, and, if this is a worker or command,
   * the web server.
   */
  async pause(): Promise<void> {
    await requestsFirst()
    if (!this.isShort || app.getEnvironment() !== 'console') return
    await sleep(Math.min(LONGEST_PAUSE, this.#took / 2 + 5))
  }

  /**
   * Writes the first of the given records. If that fails, writes all of them in one transaction, as they can refer to
   * each other. The error of that attempt is thrown.
   *
   * @param all    total number of records
   * @param write  writes the first `count` records in one transaction
   */
  async writeSome(all: number, write: (count: number) => Promise<void>): Promise<void> {
    const count = Math.min(this.rows, all)
    try {
      await write(count)
    } catch (error) {
      if (count === all || isOfProcess(error)) throw error
      await write(all)
    }
  }
}

/** Returns true for an error that was not caused by the records. */
export function isOfProcess(error: unknown): boolean {
  const isEnd = error instanceof JobStopped || error instanceof JobSuperseded
  return isEnd || unavailability(error) !== undefined
}

/**
 * Returns true if the records of a model are written in short transactions, which are reverted if a later one fails.
 * This is the case on SQLite, as a long transaction would block all other writers. Reverting needs an event log in
 * the same database.
 */
export function writesInParts(site: Site & WithJobs, model: string | null): boolean {
  const client = site.models.get(model ?? '')?.client()
  return client !== undefined && writesInPartsTo(site, client)
}

/** Like `writesInParts`, for the database of a client. */
export function writesInPartsTo(site: Site & WithJobs, client: QueryClientContract): boolean {
  if (!client.dialect.name.includes('sqlite') || !hasEventLog(site)) return false
  return site.jobs.store.isIn(client) && site.eventIntegration!.isPartOf!(client)
}
