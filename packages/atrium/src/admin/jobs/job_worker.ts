import type { JobQueue, TakenJob } from './job_queue.js'
import { WorkLoop } from './work_loop.js'

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
