import { setTimeout as sleep } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { Worker } from '@adonisjs/queue'
import type { QueueConfig, QueueManagerConfig } from '@adonisjs/queue/types'
import { isLostCompletion } from '#upstream/queue_lost_completion'

const QUEUES = ['default']

/* After a fault of the queue, such as a database that is away */
const PAUSE = 5000

/**
 * Works on the queue inside the server's process. The loop is that of the queue's own worker, which can't
 * be woken while it sleeps. [D1]
 */
export class JobWorker {
  readonly #worker: Worker
  readonly #ended: Promise<void>
  #isStopped = false
  #isAwake = false
  #wakeUp: AbortController | undefined
  #lastFault = ''

  private constructor(config: QueueManagerConfig) {
    this.#worker = new Worker(config)
    this.#ended = this.#loop()
  }

  static async start(): Promise<JobWorker> {
    const config = app.config.get<QueueConfig>('queue')
    const adapters: QueueManagerConfig['adapters'] = {}
    for (const [name, adapter] of Object.entries(config.adapters)) {
      adapters[name] = typeof adapter === 'function' ? adapter : await adapter.resolver(app)
    }
    return new JobWorker({
      ...config,
      adapters,
      autoLoadJobs: false,
      jobFactory: config.jobFactory ?? ((Class) => app.container.make(Class)),
      logger: config.logger ?? logger,
      worker: { ...config.worker, gracefulShutdown: false },
    })
  }

  /** Looks for jobs at once. */
  wake(): void {
    this.#isAwake = true
    this.#wakeUp?.abort()
  }

  /** Takes no more jobs, and waits for those that run. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#worker.stop()
    await this.#ended
    /* A job may have been taken from the queue in the meantime. */
    await this.#worker.stop()
  }

  async #loop() {
    while (!this.#isStopped) {
      const cycle = await this.#worker
        .processCycle(QUEUES)
        .catch((error) => ({ type: 'error', error }) as const)
      if (cycle?.type === 'error' && isLostCompletion(cycle.error)) continue
      if (cycle?.type === 'error') this.#report(cycle.error)
      else this.#lastFault = ''
      if (cycle?.type === 'error') await this.#sleep(PAUSE)
      else if (cycle?.type === 'idle') await this.#sleep(Number(cycle.suggestedDelay))
    }
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

  /** A fault that lasts is reported once. */
  #report(error: Error) {
    if (error.message !== this.#lastFault) logger.error({ err: error }, 'The queue of jobs fails')
    this.#lastFault = error.message
  }
}
