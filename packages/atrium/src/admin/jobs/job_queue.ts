import { randomUUID } from 'node:crypto'
import type { Adapter } from '@boringnode/queue/contracts/adapter'
import pLimit from 'p-limit'
import type AdminJob from '../models/admin_job.js'
import type { JobStore } from './job_store.js'

const QUEUE = 'atrium'
const NAME = 'admin_job'

/* Milliseconds after which a job that is not renewed is given to another process */
const LEASE = 30_000

/* A job gives up earlier, and says so. */
const MOST_RECOVERIES = 100

/** A job that this process has taken */
export interface TakenJob {
  /** Its id in the queue */
  key: string
  /** Its id in the table of jobs */
  id: number
  /** True if another process had it and was killed */
  isRedelivered: boolean
}

/**
 * The jobs that wait, by their ids. Everything else about a job is in the table of jobs. [D1]
 */
export class JobQueue {
  /** Milliseconds within which a job that runs has to be renewed */
  readonly lease = LEASE
  /** Jobs that this process has taken and not ended */
  readonly #own = new Set<string>()

  constructor(private readonly adapter: Adapter) {
    adapter.setWorkerId(randomUUID())
  }

  /**
   * @param milliseconds  after which it can begin
   */
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

  /** Lets jobs of killed processes be taken again. */
  async recover(): Promise<void> {
    /* A renewal may have waited for the writer of SQLite until the lease was over. */
    await this.renew()
    await this.adapter.recoverStalledJobs(QUEUE, LEASE, MOST_RECOVERIES)
  }
}

/** Records beyond which a job is long; one of unknown size is, too */
const LONG = 5000

/* Priorities of the queue: 1 is the first, 10 the last. */
const LAST_PRIORITY = 10
const LATER_IF_LONG = 3

/** A job that may not begin yet */
export const LATER = Symbol('later')

/**
 * Which job begins when. The first jobs of a user come before the later ones of others, and short ones before long ones.
 * A user has one long job at a time, and one worker of a process is never given a long one, so that no user's files hold
 * up the short jobs of others. [D1]
 */
export class JobTurns {
  readonly #long = new Set<number>()
  readonly #inTurn = pLimit(1)

  constructor(private readonly store: JobStore) {}

  /**
   * The priority that the queue gives to a job.
   *
   * @param unfinished  jobs of its owner that have not ended, this one included
   */
  priorityOf(job: AdminJob, unfinished: number): number {
    const priority = Math.max(1, unfinished) + (isLong(job) ? LATER_IF_LONG : 0)
    return Math.min(LAST_PRIORITY, priority)
  }

  /**
   * Begins a run, as `JobStore.begin` does.
   *
   * @param workers  jobs that the process runs at a time
   * @returns `LATER` if it has to wait
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
      /* Another process may have begun one of the same user at the same moment. */
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

  /** True if another long job of the same user runs, in any process. */
  async #hasLong({ id, userId }: AdminJob): Promise<boolean> {
    const running = await this.store.runningOf(userId)
    return running.some((other) => other.id !== id && isLong(other))
  }
}

function isLong({ total }: AdminJob): boolean {
  return total === null || total > LONG
}
