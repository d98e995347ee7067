import { withBase } from '#base/http/base_path'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { collectDefaultMetrics, Gauge, Registry, Counter, Histogram } from 'prom-client'
import { meterRequests } from '#base/http/request_meter'
import { JOB_STATES } from '../models/admin_job.js'
import { DELIVERY_STATES } from '../models/admin_webhook_delivery.js'
import { safeEqual } from '@adonisjs/core/helpers'
import { NetworkList } from '#base/http/network'
import { listsClient } from '#base/http/served_hosts'
import { Problem } from '#base/errors'
import type { MetricsConfig } from '../config/metrics_config.js'
import type { HttpContext } from '@adonisjs/core/http'
import type { WithJobs } from '../jobs/jobs.js'
import type { WithRouter } from '../http/site_routes.js'
import type { WithSessions } from '../authentication/sessions/session_manager.js'
import type { WithWebhooks } from '../webhooks/webhooks.js'

/** Address of the metrics, at the root of the application */
const METRICS = '/metrics'

/* Milliseconds for which counts of rows are reused, so that several scrapers cost as much as one */
const COUNTS_FOR = 5000

/** The properties of the site that are measured */
type MeasuredSite = WithRouter & WithSessions & WithJobs & WithWebhooks

/**
 * Serves `/metrics` in the format of Prometheus.
 *
 * @returns a function that ends the measurement of requests
 */
export function serveMetrics(site: MeasuredSite, config: MetricsConfig): () => void {
  const registry = new Registry()
  const access = new MetricsAccess(config)
  collectDefaultMetrics({ register: registry })
  addPools(registry)
  addCounts(registry, site)
  site.router
    .get(withBase(METRICS), async (ctx: HttpContext) => {
      access.check(ctx)
      ctx.response.header('cache-control', 'no-store')
      ctx.response.header('content-type', registry.contentType)
      return await registry.metrics()
    })
    .as('metrics')
  return meterRequests(requestMetrics(registry))
}

/** The part of the connection pool of Knex that is measured */
interface Pool {
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}

function addPools(registry: Registry): void {
  new Gauge({
    name: 'db_pool_connections',
    help: 'Connections of each database connection by state; waiting: callers that wait for one',
    labelNames: ['connection', 'state'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [connection, { connection: open }] of db.manager.connections) {
        const pool = (open?.client?.client as { pool?: Pool } | undefined)?.pool
        if (!pool) continue
        this.set({ connection, state: 'used' }, pool.numUsed())
        this.set({ connection, state: 'free' }, pool.numFree())
        this.set({ connection, state: 'waiting' }, pool.numPendingAcquires())
      }
    },
  })
}

/** Adds numbers of rows of the site's tables. If a count fails, its metric is missing from the response. */
function addCounts(registry: Registry, site: MeasuredSite): void {
  const gauge = (name: string, help: string, label: string, count: () => Promise<Counts>) => {
    const recent = reused(count)
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        this.reset()
        try {
          for (const [value, number] of Object.entries(await recent())) {
            this.set({ [label]: value }, number)
          }
        } catch (error) {
          logger.warn({ err: error, metric: name }, 'A metric could not be counted')
        }
      },
    })
  }
  gauge('admin_jobs', 'Background jobs by state', 'state', async () => {
    const none = Object.fromEntries(JOB_STATES.map((state) => [state, 0]))
    return { ...none, ...(await site.jobs.store.countByState()) }
  })
  gauge('admin_webhook_deliveries', 'Messages of webhooks by state', 'state', async () => {
    const none = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0]))
    return { ...none, ...(await site.webhooks.store.counts()) }
  })
  gauge('admin_sessions', 'Sessions of users by state', 'state', async () => ({
    active: await site.sessionManager.countActive(),
  }))
}

type Counts = Record<string, number>

/** Returns a function that returns the same result for a few seconds, and to all concurrent callers. */
function reused<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; result: Promise<Result> } | undefined
  return () => {
    if (last && performance.now() - last.at < COUNTS_FOR) return last.result
    const result = read()
    const mine = (last = { at: performance.now(), result })
    result.catch(() => {
      if (last === mine) last = undefined
    })
    return result
  }
}

const BEARER = /^Bearer +(\S+)$/i

/** Decides who can read the metrics: clients with the token, and those with a listed address. */
export class MetricsAccess {
  readonly #networks: NetworkList

  constructor(private readonly config: MetricsConfig) {
    this.#networks = new NetworkList(config.addresses)
  }

  /**
   * @throws Problem 401  without the token
   * @throws Problem 404  if only addresses are listed, so that other clients do not learn that there are metrics
   */
  check(ctx: HttpContext): void {
    if (listsClient(this.#networks, ctx)) return
    const { token } = this.config
    if (!token) throw new Problem(404, 'Not found')
    const sent = BEARER.exec(ctx.request.header('authorization') ?? '')?.[1]
    if (sent !== undefined && safeEqual(sent, token.release())) return
    throw new Problem(401, 'A valid token is required', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

/** Label of requests that match no route */
const UNKNOWN = 'unknown'

/** Status of a request whose client has closed the connection before the response was complete */
const CLOSED_BY_CLIENT = '499'

/* Methods that are used as labels. All others share one label, so that clients cannot create labels. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/* In seconds: a response from memory takes less than a millisecond, and an export minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/**
 * Counts requests and their durations. Labels are patterns of routes, such as `/api/films/:id`, so that their number is
 * limited by the number of routes.
 *
 * @returns a function that measures a request that has just begun
 */
function requestMetrics(registry: Registry): (ctx: HttpContext) => void {
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
