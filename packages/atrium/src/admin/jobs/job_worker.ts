import type { JobQueue, TakenJob } from './job_queue.js'
import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'

/*
 * Polling interval of an idle worker, in milliseconds, for jobs of other processes. Jobs of the same process wake it
 * up.
 */
const IDLE = 5000

/* Interval at which jobs of killed processes are looked for */
const RECOVERY = 15_000

/** Takes jobs from the queue and runs several concurrently. */
export class JobWorker {
  readonly #running = new Map<string, Promise<void>>()
  readonly #ended: Promise<void>
  readonly #renewal: NodeJS.Timeout
  readonly #loop = new WorkLoop('The queue of jobs fails', IDLE)
  #recovered = 0

  /**
   * @param concurrency  maximum number of concurrent jobs
   * @param run          runs a job; stores a failure as the job's outcome instead of throwing
   */
  constructor(
    private readonly queue: JobQueue,
    private readonly concurrency: number,
    private readonly run: (job: TakenJob) => Promise<void>
  ) {
    this.#renewal = setInterval(
      () => void this.#loop.guarded(() => this.queue.renew()),
      queue.lease / 2
    )
    this.#renewal.unref()
    this.#ended = this.#loop.run(async () => {
      await this.#recover()
      await this.#takeJobs()
    })
  }

  /** Looks for jobs without waiting for the next poll. */
  wake(): void {
    this.#loop.wake()
  }

  /** Takes no more jobs, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#loop.stop()
    await this.#ended
    await Promise.all(this.#running.values())
    clearInterval(this.#renewal)
  }

  async #takeJobs() {
    while (!this.#loop.isStopped && this.#running.size < this.concurrency) {
      const job = await this.queue.take()
      if (!job) return
      const end = this.#loop
        .guarded(() => this.#runAndEnd(job))
        .then(() => {
          this.#running.delete(job.key)
          this.wake()
        })
      this.#running.set(job.key, end)
    }
  }

  async #runAndEnd(job: TakenJob) {
    try {
      await this.run(job)
    } finally {
      await this.queue.end(job)
    }
  }

  async #recover() {
    if (Date.now() - this.#recovered < RECOVERY) return
    this.#recovered = Date.now()
    await this.queue.recover()
  }
}

/* Delay after an error, such as an unavailable database */
const PAUSE = 5000

/** Repeats rounds of background work until it is stopped. Errors end a round, and not the loop. */
export class WorkLoop {
  #isStopped = false
  #isAwake = false
  #wakeUp: AbortController | undefined
  #lastError = ''

  /**
   * @param failure  message of the log for an error
   * @param idle     milliseconds between two rounds if nothing wakes the loop
   */
  constructor(
    private readonly failure: string,
    private readonly idle: number
  ) {}

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Starts the next round without waiting for it to be due. */
  wake(): void {
    this.#isAwake = true
    this.#wakeUp?.abort()
  }

  stop(): void {
    this.#isStopped = true
    this.wake()
  }

  resume(): void {
    this.#isStopped = false
  }

  /** Calls `round` until `stop`. */
  async run(round: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      const isFine = await this.guarded(round)
      if (isFine) this.#lastError = ''
      await this.#sleep(isFine ? this.idle : PAUSE)
    }
  }

  /** Runs a round, and logs its error; a repeated error only once. Returns false after an error. */
  async guarded(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#lastError) logger.error({ err: error }, this.failure)
      this.#lastError = message
      return false
    }
  }

  async #sleep(milliseconds: number) {
    if (!this.#isAwake && !this.#isStopped) {
      this.#wakeUp = new AbortController()
      const options = { signal: this.#wakeUp.signal, ref: false }
      await sleep(milliseconds, undefined, options).catch(() => {})
      this.#wakeUp = undefined
    }
    this.#isAwake = false
  }
}
