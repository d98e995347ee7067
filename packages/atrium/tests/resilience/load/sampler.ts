import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../../../benchmarks/helpers/server_process.js'

const INTERVAL = 1000
/** Samples between garbage collections; the event loop delay of that sample is ignored */
const COLLECTED = 10
/** Milliseconds between two searches */
const PAUSE = 4000

export interface Sample {
  /** Resident memory in bytes */
  rss: number
  /** Heap in bytes after garbage collection; not in every sample */
  heap?: number
  /**
   * 99th percentile of the event loop delay since the last one, in milliseconds; not in every
   * sample
   */
  delay?: number
  /** The same for an idle process */
  idle: number
  /** True if a search was running */
  isSearching: boolean
}

/** Samples a server's process once a second. */
export class Sampler {
  readonly #samples: Sample[] = []
  #isSearching = false
  #work: Promise<void> | undefined
  #isOver = false

  /**
   * @param idle  an idle process on the same machine
   */
  constructor(
    private readonly server: ServerProcess,
    private readonly idle: ServerProcess
  ) {}

  start(): void {
    this.#work = this.#run()
  }

  searching(): void {
    this.#isSearching = true
  }

  async stop(): Promise<Sample[]> {
    this.#isOver = true
    await this.#work
    return this.#samples
  }

  async #run() {
    await this.server.eventLoopDelay()
    await this.idle.eventLoopDelay()
    for (let turn = 1; !this.#isOver; turn++) {
      await sleep(INTERVAL)
      const isSearching = this.#isSearching
      this.#isSearching = false
      const delay = await this.server.eventLoopDelay()
      const idle = await this.idle.eventLoopDelay()
      const { rss } = await this.server.usage()
      if (turn % COLLECTED !== 0) this.#samples.push({ rss, delay, idle, isSearching })
      else {
        const heap = await this.server.liveHeap()
        await this.server.eventLoopDelay()
        this.#samples.push({ rss, heap, idle, isSearching })
      }
    }
  }
}

/**
 * Searches the products by part of a name, alternating between the endpoint and the admin's list,
 * with a pause after each.
 */
export function keepSearching(origin: string, cookie: string, sampler: Sampler) {
  const times: number[] = []
  let failed = 0
  let isOver = false
  const paths = [
    '/api/products?name__contains=owl%2099999&limit=10',
    '/admin/Product/?search-input=owl%2099999',
  ]
  const work = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const begun = performance.now()
      const telling = setInterval(() => sampler.searching(), 50)
      sampler.searching()
      const response = await fetch(`${origin}${paths[turn % 2]}`, { headers: { cookie } })
      await response.arrayBuffer()
      clearInterval(telling)
      times.push(performance.now() - begun)
      if (response.status !== 200) failed++
      await sleep(PAUSE)
    }
  })()
  return {
    async stop() {
      isOver = true
      await work
      return { count: times.length, failed, longest: Math.max(...times) }
    },
  }
}
