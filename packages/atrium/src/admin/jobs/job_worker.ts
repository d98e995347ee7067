import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'
import type { JobQueue, TakenJob } from './job_queue.js'

/* Milliseconds after which an idle worker looks for jobs of other processes; those of its own begin immediately. */
const IDLE = 5000

/* After an error of the queue, such as a database that is unavailable */
const PAUSE = 5000

/* Jobs of killed processes are looked for this often. */
const RECOVERY = 15_000

/**
 * Takes jobs from the queue, and runs several at a time. [D1]
 */
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
   * @param concurrency  jobs that run at a time
   * @param run          runs a job; its failure is its outcome, and not thrown
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

  /** Looks for jobs immediately. */
  wake(): void {
    this.#isAwake = true
    this.#wakeUp?.abort()
  }

  /** Takes no more jobs, and waits for those that run. */
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

  /** @returns false after an error; one that lasts is logged once */
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
