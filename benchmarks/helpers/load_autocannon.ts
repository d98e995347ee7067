import autocannon from 'autocannon'
import type { Load, LoadResult } from './load.js'

export async function loadByAutocannon({
  origin,
  requests,
  connections,
  seconds,
}: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    setupClient: apart(requests, connections),
    requests: [{ method: 'GET', path: '/' }],
  })
  return {
    answered: result.requests.total,
    failed: result.non2xx + result.errors,
    perSecond: result.requests.average,
    p99: result.latency.p99,
  }
}

/** Each connection starts at a different request, so that they do not all send the same at once. */
function apart(requests: Load['requests'], connections: number) {
  let next = 0
  return (client: autocannon.Client) => {
    const start = Math.floor((requests.length / connections) * (next++ % connections))
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
  }
}
