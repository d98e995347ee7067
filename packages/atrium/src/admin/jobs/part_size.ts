import { setTimeout as sleep } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { requestsFirst } from '#base/requests_first'
import { unavailability } from '#base/database/unavailable'
import { JobStopped, JobSuperseded } from './job_errors.js'
import type { AdminSite } from '../admin_site.js'
import { hasEventLog } from '../http/event_access.js'

/* Milliseconds that a part of a job may hold the one writer of SQLite, for which all others wait */
const LONGEST = 150

/*
 * SQLite has no queue for the lock of another process: it tries again after 1 to 100 ms, the longer it has waited, less
 * than half as long.
 */
const LONGEST_PAUSE = 100

const FIRST = 50
const LEAST = 5
/* What is logged of a part is made in one turn of the event loop. */
const MOST = 200

/**
 * The number of records that a job writes in one transaction, by how long the last ones took.
 */
export class PartSize {
  #rows = FIRST
  #took = 0

  /** @param isShort  false for parts of any size */
  constructor(private readonly isShort = true) {}

  get rows(): number {
    return this.isShort ? this.#rows : Infinity
  }

  /** Writes a number of records, and takes the time. */
  async measure<Result>(count: number, write: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    const result = await write()
    this.#took = Math.max(1, performance.now() - begun)
    const fit = (count * LONGEST) / this.#took
    /* One slow part is not a reason for very small ones, and a quick one is not a reason for one that takes seconds. */
    const next = Math.min(Math.max(fit, this.#rows / 2), this.#rows * 2)
    this.#rows = Math.round(Math.min(Math.max(next, LEAST), MOST))
    return result
  }

  /**
   * Lets others write before the next part: requests of this process, and a site that a worker or a command runs next to.
   */
  async pause(): Promise<void> {
    await requestsFirst()
    if (!this.isShort || app.getEnvironment() !== 'console') return
    await sleep(Math.min(LONGEST_PAUSE, this.#took / 2 + 5))
  }

  /**
   * Writes the first of some records. If that fails, all of them are written together, as they may refer to each
   * other; then the error is that of all of them.
   *
   * @param all    number of the records
   * @param write  writes the first ones in one transaction
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

/** True for an error that is not about the records */
export function isOfProcess(error: unknown): boolean {
  const isEnd = error instanceof JobStopped || error instanceof JobSuperseded
  return isEnd || unavailability(error) !== undefined
}

/**
 * True if the records of a model are written in short transactions, which are reverted if a later one fails: SQLite has
 * one writer, for which all others would wait. Reverting needs the log in the same database.
 */
export function writesInParts(site: AdminSite, model: string | null): boolean {
  const client = site.models.get(model ?? '')?.client()
  return client !== undefined && writesInPartsTo(site, client)
}

/** The same for the records of a client's database. */
export function writesInPartsTo(site: AdminSite, client: QueryClientContract): boolean {
  if (!client.dialect.name.includes('sqlite') || !hasEventLog(site)) return false
  return site.jobs.store.isIn(client) && site.eventIntegration!.isPartOf!(client)
}
