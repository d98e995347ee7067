import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../helpers/statistics.js'
import type { TransferSite } from './site.js'

const SAMPLED_EVERY = 100
const LISTED_EVERY = 100
const WARM_UP = 200
const IDLE_LISTS = 50

/** A site that does nothing else. */
export interface Idle {
  /** Median of the list's response time in milliseconds */
  list: number
  /** Resident memory in bytes */
  rss: number
}

/** The site before the work. */
export async function idleOf(site: TransferSite): Promise<Idle> {
  for (let time = 0; time < WARM_UP; time++) await site.list()
  const times: number[] = []
  for (let time = 0; time < IDLE_LISTS; time++) {
    times.push(await site.list())
    await sleep(LISTED_EVERY)
  }
  await site.server.liveHeap()
  const { rss } = await site.server.usage()
  return { list: median(times), rss }
}

/**
 * Runs work, and samples the memory of the server while it runs.
 *
 * @returns its result, and the peak of resident memory in bytes
 */
export async function withMemory<Result>(site: TransferSite, work: () => Promise<Result>) {
  let isOver = false
  let peak = 0
  const sampling = (async () => {
    while (!isOver) {
      const { rss } = await site.server.usage()
      peak = Math.max(peak, rss)
      await sleep(SAMPLED_EVERY)
    }
  })()
  const result = await work().finally(() => (isOver = true))
  await sampling
  return { result, peak }
}

/**
 * Runs work, and requests the list while it runs.
 *
 * @returns median of the list's response time in milliseconds
 */
export async function listDuring(
  site: TransferSite,
  work: () => Promise<unknown>
): Promise<number> {
  let isOver = false
  const times: number[] = []
  const listing = (async () => {
    while (!isOver) {
      times.push(await site.list())
      await sleep(LISTED_EVERY)
    }
  })()
  await work().finally(() => (isOver = true))
  await listing
  return median(times)
}
