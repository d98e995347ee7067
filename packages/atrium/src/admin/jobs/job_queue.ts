import { randomUUID } from 'node:crypto'
import type { ApplicationService } from '@adonisjs/core/types'
import type { Adapter } from '@boringnode/queue/contracts/adapter'
import pLimit from 'p-limit'
import type { AdminConfig } from '../config/define_config.js'
import type AdminJob from '../models/admin_job.js'
import { SiteRedis } from '../services/site_redis.js'
import type { JobStore } from './job_store.js'
import { KnexAdapter } from '@boringnode/queue/drivers/knex_adapter'
import type { Knex } from 'knex'

/**
 * Job queue in a database table. The library polls for jobs with two transactions (delayed jobs, next job) of six
 * statements on the writing connection, every few seconds even on an idle server. On SQLite, these transactions block
 * other writers and wait for them. This adapter first runs a query, and starts the transactions only if there is a job.
 */
export class DatabaseQueue extends KnexAdapter {
  constructor(
    private readonly knex: Knex,
    private readonly tableName: string
  ) {
    super({ connection: knex, tableName })
  }

  async popFrom(queue: string) {
    return (await this.#hasJobs(queue)) ? await super.popFrom(queue) : null
  }

  async #hasJobs(queue: string): Promise<boolean> {
    const rows = await this.knex(this.tableName)
      .where('queue', queue)
      .where((either) =>
        either
          .where('status', 'pending')
          .orWhere((delayed) =>
            delayed.where('status', 'delayed').where('execute_at', '<=', Date.now())
          )
      )
      .select('id')
      .limit(1)
    return rows.length > 0
  }
}

const QUEUE = 'atrium'
const NAME = 'admin_job'

/* Milliseconds after which a job without a renewed lease is given to another process */
const LEASE = 30_000

/* High enough to never apply: jobs fail earlier, with a message, after `MOST_INTERRUPTIONS`. */
const MOST_RECOVERIES = 100

/** A job that this process has taken from the queue */
export interface TakenJob {
  /** Id in the queue */
  key: string
  /** Id in the table of jobs */
  id: number
  /** True if another process had taken the job and was killed */
  isRedelivered: boolean
}

/** Queue of job ids. All other data of a job is in the table of jobs. */
export class JobQueue {
  /** Milliseconds within which the lease of a running job must be renewed */
  readonly lease = LEASE
  /** Queue ids of the unfinished jobs of this process */
  readonly #own = new Set<string>()

  constructor(private readonly adapter: Adapter) {
    adapter.setWorkerId(randomUUID())
  }

  /** @param milliseconds  delay before the job can start */
  async push(id: number, priority: number, milliseconds = 0): Promise<void> {
    const payload = { id }
    const key = randomUUID()
    const job = { id: key, name: NAME, payload, attempts: 0, priority, createdAt: Date.now() }
    if (milliseconds === 0) await this.adapter.pushOn(QUEUE, job)
    else await this.adapter.pushLaterOn(QUEUE, job, milliseconds)
  }

  async take(): Promise<TakenJob | null> {
    const job = await this.adapter.popFrom(QUEUE)
    if (!job) return null
    this.#own.add(job.id)
    const { stalledCount = 0 } = job
    return { key: job.id, id: job.payload.id, isRedelivered: stalledCount > 0 }
  }

  async end({ key }: TakenJob): Promise<void> {
    await this.adapter.completeJob(key, QUEUE, true)
    this.#own.delete(key)
  }

  /** Extends the leases of the jobs that this process has taken. */
  async renew(): Promise<void> {
    await this.adapter.renewJobs(QUEUE, [...this.#own])
  }

  /** Makes jobs of killed processes available again. */
  async recover(): Promise<void> {
    /* Renews first, as an earlier renewal may have waited for SQLite's writer until the lease expired. */
    await this.renew()
    await this.adapter.recoverStalledJobs(QUEUE, LEASE, MOST_RECOVERIES)
  }
}

/** Number of records above which a job counts as long. A job of unknown size also counts as long. */
const LONG = 5000

/* Priorities of the queue range from 1 (first) to 10 (last). */
const LAST_PRIORITY = 10
const LATER_IF_LONG = 3

/** Result for a job that must not start yet */
export const LATER = Symbol('later')

/**
 * Decides when jobs start. The first jobs of a user precede later jobs of other users, and short jobs precede long
 * ones. A user has at most one running long job, and a process with several workers keeps one of them free of long
 * jobs that start for the first time, so that large files of one user do not delay the short jobs of others.
 */
export class JobTurns {
  readonly #long = new Set<number>()
  readonly #inTurn = pLimit(1)

  constructor(private readonly store: JobStore) {}

  /**
   * Returns the priority of a job in the queue.
   *
   * @param unfinished  number of unfinished jobs of its owner, including this one
   */
  priorityOf(job: AdminJob, unfinished: number): number {
    const priority = Math.max(1, unfinished) + (isLong(job) ? LATER_IF_LONG : 0)
    return Math.min(LAST_PRIORITY, priority)
  }

  /**
   * Starts a run like `JobStore.begin`, if it is the job's turn.
   *
   * @param workers  number of jobs that the process runs concurrently
   * @returns `LATER` if the job has to wait
   */
  async begin(
    id: number,
    isRedelivered: boolean,
    workers: number
  ): Promise<AdminJob | null | typeof LATER> {
    return await this.#inTurn(async () => {
      const job = await this.store.find(id)
      const counts = job !== null && isLong(job)
      if (counts && !isRedelivered && !(await this.#mayBegin(job, workers))) return LATER
      const begun = await this.store.begin(id, isRedelivered)
      if (!begun || !counts) return begun
      /* Another process may have started a job of the same user concurrently. */
      const isFirst = isRedelivered || begun.state !== 'running' || !(await this.#hasLong(begun))
      if (!isFirst && (await this.store.release(begun))) return LATER
      this.#long.add(id)
      return begun
    })
  }

  end(id: number): void {
    this.#long.delete(id)
  }

  async #mayBegin(job: AdminJob, workers: number): Promise<boolean> {
    if (this.#long.size >= Math.max(1, workers - 1)) return false
    return !(await this.#hasLong(job))
  }

  /** Returns true if another long job of the same user is running in any process. */
  async #hasLong({ id, userId }: AdminJob): Promise<boolean> {
    const running = await this.store.runningOf(userId)
    return running.some((other) => other.id !== id && isLong(other))
  }
}

function isLong({ total }: AdminJob): boolean {
  return total === null || total > LONG
}

/** Table of waiting jobs */
const QUEUE_TABLE = 'admin_queue_jobs'

/**
 * Returns the queue of background jobs according to `jobs.store` in `config/admin.ts`. Only the library's adapter is
 * used, because the library's manager, job classes and worker share one configuration per process, which belongs to the
 * application.
 *
 * @param connection  connection of the admin site's tables
 */
export async function siteQueue(
  app: ApplicationService,
  { store, connection }: { store: AdminConfig['jobs']['store']; connection: string }
): Promise<Adapter> {
  if (store === 'redis') {
    const { redis } = await import('@boringnode/queue/drivers/redis_adapter')
    const site = await app.container.make(SiteRedis)
    const { ioConnection } = await site.connection()
    return redis(ioConnection)()
  }
  const db = await app.container.make('lucid.db')
  return new DatabaseQueue(db.connection(connection).getWriteClient(), QUEUE_TABLE)
}
