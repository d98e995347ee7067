import type { HealthChecks } from '@adonisjs/core/health'
import type { HealthCheckReport } from '@adonisjs/core/types/health'
import type { HttpContext } from '@adonisjs/core/http'
import { Problem } from '#crud'
import { sendProblem } from '#crud/http/handle_problem'
import { serveUnderAnyName } from '#crud/http/served_hosts'
import type { AdminSite } from '#admin/admin_site'

/** Where the process says that it answers */
export const LIVE = '/health/live'

/**
 * Answers machines that ask how this process is: `/health/live` whether it answers at all, and
 * `/health/ready` whether it can do its work. Everybody may ask, so they tell no more than that; the
 * reason stands in the log. (What people want to know is on the site's page.)
 */
export function registerProbes(site: AdminSite, checks: HealthChecks): void {
  let running: Promise<HealthCheckReport> | undefined
  /* However many ask at once, the databases are asked once. */
  const report = () => {
    running ??= checks.run().finally(() => (running = undefined))
    return running
  }

  serveUnderAnyName('/health/')
  site.router.get(LIVE, sayOk).as('health.live')
  site.router
    .get('/health/ready', async (ctx) => {
      const { isHealthy, checks: results } = await report()
      if (isHealthy) return sayOk(ctx)
      for (const { name, status, message, meta } of results) {
        if (status === 'error') ctx.logger.error({ err: meta?.error, connection: name }, message)
      }
      forbidKeeping(ctx)
      sendProblem(ctx, notReady())
    })
    .as('health.ready')
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
