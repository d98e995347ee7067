import type { LoadResult } from '../../../benchmarks/helpers/load.js'
import { median } from '../../../benchmarks/helpers/statistics.js'
import { tableOf } from '../../../benchmarks/helpers/table.js'
import type { Sample } from './sampler.js'

/** Maximum growth of memory from the first third to the last */
const GROWTH = 0.05
/** Maximum event loop delay in milliseconds */
const DELAY = 50
const MEGABYTE = 1024 * 1024
const MEMORY = ['rss', 'heap'] as const

export interface Outcome {
  peak: LoadResult
  result: LoadResult & { statuses: Record<string, number> }
  searches: { count: number; failed: number; longest: number }
  samples: Sample[]
}

/** Promises that did not hold. */
export function findings({ result, searches, samples }: Outcome): string[] {
  const broken: string[] = []
  if (result.failed > 0) {
    broken.push(`${result.failed} requests failed: ${JSON.stringify(result.statuses)}`)
  }
  if (searches.failed > 0) broken.push(`${searches.failed} searches failed`)
  for (const name of MEMORY) {
    const [first, , last] = thirds(samples, name)
    if (last > first * (1 + GROWTH)) {
      broken.push(`${name} grew by ${((last / first - 1) * 100).toFixed(1)} %`)
    }
  }
  for (const [name, { server, idle }] of Object.entries(delays(samples))) {
    if (server - idle <= DELAY) continue
    broken.push(
      `the event loop was ${server.toFixed(1)} ms late ${name}, ${idle.toFixed(1)} ms of it by the machine`
    )
  }
  return broken
}

export function reportOf({ peak, result, searches, samples }: Outcome): string {
  const megabytes = (bytes: number) => (bytes / MEGABYTE).toFixed(1)
  const memory = MEMORY.map((name) => {
    const [first, second, third] = thirds(samples, name)
    const growth = `${((third / first - 1) * 100).toFixed(1)} %`
    return [`${name}, MB`, megabytes(first), megabytes(second), megabytes(third), growth]
  })
  return [
    tableOf(
      ['requests', 'answered', 'failed', 'a second', 'p99 ms'],
      [
        ['peak', ...figuresOf(peak)],
        ['load', ...figuresOf(result)],
      ]
    ),
    tableOf(['median of each third', 'first', 'second', 'third', 'growth'], memory),
    tableOf(
      ['event loop, p99 ms late', 'server', 'worst second', 'idle process'],
      Object.entries(delays(samples)).map(([name, { server, worst, idle, seconds }]) => [
        `${name}, ${seconds} s`,
        ...[server, worst, idle].map((delay) => delay.toFixed(1)),
      ])
    ),
    `${searches.count} searches, the longest ${(searches.longest / 1000).toFixed(1)} s`,
  ].join('\n\n')
}

function figuresOf({ responded: responded, failed, perSecond, p99 }: LoadResult): string[] {
  return [String(responded), String(failed), perSecond.toFixed(0), p99.toFixed(0)]
}

function thirds(samples: readonly Sample[], name: (typeof MEMORY)[number]): number[] {
  const values = samples.flatMap((sample) => sample[name] ?? [])
  const length = Math.max(Math.floor(values.length / 3), 1)
  return [0, 1, 2].map((third) => median(values.slice(third * length, (third + 1) * length)))
}

/** Median of the 99th percentiles of each second, as other programs disturb some of them. */
function delays(samples: readonly Sample[]) {
  const kinds = {
    'while a search runs': samples.filter(({ isSearching }) => isSearching),
    'otherwise': samples.filter(({ isSearching }) => !isSearching),
  }
  return Object.fromEntries(
    Object.entries(kinds).map(([name, some]) => {
      const all = some.flatMap(({ delay }) => delay ?? [])
      const idle = median(some.map((sample) => sample.idle))
      return [name, { server: median(all), worst: Math.max(...all), idle, seconds: some.length }]
    })
  )
}
