import { randomUUID } from 'node:crypto'
import type { Adapter } from '@boringnode/queue/contracts/adapter'

const QUEUE = 'atrium'
const NAME = 'admin_job'

/* Milliseconds after which a job that nobody renews is given to another process */
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
