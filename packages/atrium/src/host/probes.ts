import type { HealthChecks } from '@adonisjs/core/health'
import type { HealthCheckReport } from '@adonisjs/core/types/health'
import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { sendProblem } from '#base/http/send_problem'
import { withBase } from '#base/http/base_path'
import { serveUnderAnyName } from '#base/http/served_hosts'
import type { AdminSite } from '#admin'

/** Path of the liveness probe */
export const LIVE = '/health/live'

/**
 * Registers the probes: `/health/live` for a running process, and `/health/ready` for one that can serve requests. They
 * are public, so they return no reasons; these are logged. (The site has a page with details.)
 */
export function registerProbes(site: AdminSite, checks: HealthChecks): void {
  let running: Promise<HealthCheckReport> | undefined
  /* Concurrent probes share one query of the databases. */
  const report = () => {
    running ??= checks.run().finally(() => (running = undefined))
    return running
  }

  serveUnderAnyName('/health/')
  const ready = async (ctx: HttpContext) => {
    const { isHealthy, checks: results } = await report()
    if (isHealthy) return sayOk(ctx)
    for (const { name, status, message, meta } of results) {
      if (status === 'error') ctx.logger.error({ err: meta?.error, connection: name }, message)
    }
    forbidKeeping(ctx)
    sendProblem(ctx, notReady())
  }
  site.router.get(withBase(LIVE), sayOk).as('health.live')
  site.router.get(withBase('/health/ready'), ready).as('health.ready')
}

const notReady = () =>
  new Problem(503, 'A database can not be reached, or is not migrated', {
    headers: { 'retry-after': '5' },
  })

function sayOk(ctx: HttpContext) {
  forbidKeeping(ctx)
  ctx.response.json({ status: 'ok' })
}

function forbidKeeping({ response }: HttpContext) {
  response.header('cache-control', 'no-store')
}
