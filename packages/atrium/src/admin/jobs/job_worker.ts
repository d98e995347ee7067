import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'
import type { JobQueue, TakenJob } from './job_queue.js'

/*
 * Polling interval of an idle worker, in milliseconds, for jobs of other processes. Jobs of the same process wake it
 * up.
 */
const IDLE = 5000

/* Delay after an error of the queue, such as an unavailable database */
const PAUSE = 5000

/* Interval at which jobs of killed processes are looked for */
const RECOVERY = 15_000

/** Takes jobs from the queue and runs several concurrently. [D1] */
export class JobWorker {
  readonly #running = new Map<string, Promise<void>>()
  readonly #ended: Promise<void>
  readonly #renewal: NodeJS.Timeout
  #recovered = 0
  #isStopped = false
  #isAwake = false
  #wakeUp: AbortController | undefined
  #lastError = ''

  /**
   * @param concurrency  maximum number of concurrent jobs
   * @param run          runs a job; stores a failure as the job's outcome instead of throwing
   */
  constructor(
    private readonly queue: JobQueue,
    private readonly concurrency: number,
    private readonly run: (job: TakenJob) => Promise<void>
  ) {
    this.#renewal = setInterval(() => void this.#guarded(() => this.queue.renew()), queue.lease / 2)
    this.#renewal.unref()
    this.#ended = this.#loop()
  }

  /** Looks for jobs without waiting for the next poll. */
  wake(): void {
    this.#isAwake = true
    this.#wakeUp?.abort()
  }

  /** Takes no more jobs, and waits for the running ones. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#ended
    await Promise.all(this.#running.values())
    clearInterval(this.#renewal)
  }

  async #loop() {
    while (!this.#isStopped) {
      const isFine = await this.#guarded(async () => {
        await this.#recover()
        await this.#takeJobs()
      })
      if (isFine) this.#lastError = ''
      await this.#sleep(isFine ? IDLE : PAUSE)
    }
  }

  async #takeJobs() {
    while (!this.#isStopped && this.#running.size < this.concurrency) {
      const job = await this.queue.take()
      if (!job) return
      const end = this.#guarded(() => this.#runAndEnd(job)).then(() => {
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

  async #sleep(milliseconds: number) {
    if (!this.#isAwake && !this.#isStopped) {
      this.#wakeUp = new AbortController()
      await sleep(milliseconds, undefined, { signal: this.#wakeUp.signal, ref: false }).catch(
        () => {}
      )
      this.#wakeUp = undefined
    }
    this.#isAwake = false
  }

  /** @returns false after an error. A repeated error is logged only once. */
  async #guarded(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#lastError) logger.error({ err: error }, 'The queue of jobs fails')
      this.#lastError = message
      return false
    }
  }
}
