import autocannon from 'autocannon'
import type { Load, LoadResult } from '../../../benchmarks/helpers/load.js'

/**
 * Runs load against a server, at the given rate or at the maximum. Unlike a benchmark it counts
 * failures and does not throw.
 */
export async function runLoad({
  origin,
  requests,
  connections,
  seconds,
  rate,
}: Load & { rate?: number }): Promise<LoadResult & { statuses: Record<string, number> }> {
  let next = 0
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    timeout: 30,
    ...(rate !== undefined && { overallRate: rate }),
    setupClient(client) {
      const start = Math.floor((requests.length / connections) * (next++ % connections))
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
    },
    requests: [{ method: 'GET', path: '/health/live' }],
  })
  const statuses = Object.fromEntries(
    Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => [
      status,
      Number(count),
    ])
  )
  return {
    responded: result.requests.total,
    failed: result.non2xx + result.errors,
    perSecond: result.requests.average,
    p99: result.latency.p99,
    statuses,
  }
}
