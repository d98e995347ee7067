import autocannon from 'autocannon'
import { firstNumber, ONCE, type Load, type LoadRequest, type LoadResult } from './load.js'

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
    setupClient: apart(requests.map(numbered()), connections),
    requests: [{ method: 'GET', path: '/' }],
  })
  return {
    responded: result.requests.total,
    failed: result.non2xx + result.errors,
    perSecond: result.requests.average,
    p99: result.latency.p99,
  }
}

/** Each connection starts at a different request, so that they do not all send the same one simultaneously. */
function apart(requests: autocannon.Request[], connections: number) {
  let next = 0
  return (client: autocannon.Client) => {
    const start = Math.floor((requests.length / connections) * (next++ % connections))
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
  }
}

/** Gives each request that is sent a number, where its body has a place for one. */
function numbered() {
  let number = firstNumber()
  const setupRequest = (request: autocannon.Request) => {
    const digits = String(number++).padStart(ONCE.length, '0').slice(-ONCE.length)
    return { ...request, body: (request.body as string).replace(ONCE, digits) }
  }
  return (request: LoadRequest): autocannon.Request =>
    request.body?.includes(ONCE) ? { ...request, setupRequest } : request
}
