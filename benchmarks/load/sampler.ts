import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '../helpers/server_process.js'

const INTERVAL = 1000
/** Every so many samples the garbage is collected, to see what is left; that turn of the loop does not count */
const COLLECTED = 10
/** Milliseconds between two searches */
const PAUSE = 4000

export interface Sample {
  /** Bytes */
  rss: number
  /** Without garbage; not in every sample */
  heap?: number
  /**
   * Milliseconds that 99 of 100 turns of the event loop came too late by at the most, since the last one;
   * not in every sample
   */
  delay?: number
  /** The same of a process that has nothing to do */
  idle: number
  /** Whether a search ran meanwhile */
  isSearching: boolean
}

/**
 * Looks at a server's process once a second.
 */
export class Sampler {
  readonly #samples: Sample[] = []
  #isSearching = false
  #work: Promise<void> | undefined
  #isOver = false

  /**
   * @param idle  a process beside it that has nothing to do
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
 * Searches the products for what stands in the middle of some names, now by the endpoint and now in the
 * admin's list, with a pause in between.
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
      const answer = await fetch(`${origin}${paths[turn % 2]}`, { headers: { cookie } })
      await answer.arrayBuffer()
      clearInterval(telling)
      times.push(performance.now() - begun)
      if (answer.status !== 200) failed++
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
