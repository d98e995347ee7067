import type { HttpContext } from '@adonisjs/core/http'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Label of requests that match no route */
const UNKNOWN = 'unknown'

/** Status of a request whose client has closed the connection before the response was complete */
const CLOSED_BY_CLIENT = '499'

/* Methods that get a label of their own, so that clients cannot create labels. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/* In seconds: a response from memory takes less than a millisecond, and an export minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/**
 * Counts requests and their durations. Labels are patterns of routes, such as `/api/films/:id`, so that their number is
 * limited by the number of routes. [W6]
 *
 * @returns a function that measures a request that has just begun
 */
export function requestMetrics(registry: Registry): (ctx: HttpContext) => void {
  const registers = [registry]
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Responses by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response',
    labelNames: ['route', 'method'],
    buckets: BUCKETS,
    registers,
  })
  return (ctx) => {
    const begun = performance.now()
    const { response } = ctx.response
    response.once('close', () => {
      const route = ctx.route?.pattern ?? UNKNOWN
      const asked = ctx.request.method()
      const method = METHODS.has(asked) ? asked : 'OTHER'
      const status = response.writableFinished ? String(response.statusCode) : CLOSED_BY_CLIENT
      requests.inc({ route, method, status })
      durations.observe({ route, method }, (performance.now() - begun) / 1000)
    })
  }
}
