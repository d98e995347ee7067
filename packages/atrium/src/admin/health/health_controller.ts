import type { HttpContext } from '@adonisjs/core/http'
import { DateTime, Duration } from 'luxon'
import type { AdminSite } from '../admin_site.js'
import { momentOf } from '../time/moment.js'
import { healthReport } from './health_report.js'

/**
 * Health page. Failures are shown on the page, which itself does not fail. [E5]
 */
export class HealthController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext): Promise<string> {
    const report = await healthReport(this.site, (error, what) =>
      ctx.logger.error({ err: error }, `Health: ${what} could not be asked`)
    )
    const isPart = ctx.request.header('hx-request') !== undefined
    ctx.response.vary('HX-Request')
    return await this.site.render(ctx, isPart ? 'partials/health_content' : 'pages/health', {
      ...report,
      oldest: report.events?.oldest ? momentOf(readTime(report.events.oldest)) : null,
      uptime: inWords(report.runtime.uptime),
      megabytes: (bytes: number) => Math.round(bytes / 1024 / 1024),
      milliseconds: (latency: number) => (latency < 10 ? latency.toFixed(1) : latency.toFixed(0)),
    })
  }
}

/** Drivers return the smallest value of a column in their own format. */
function readTime(text: string): DateTime {
  const time = DateTime.fromSQL(text, { zone: 'utc' })
  return time.isValid ? time : DateTime.fromISO(text, { zone: 'utc' })
}

/** Duration in its first two units that are not zero: `3 days, 4 hours`. */
function inWords(seconds: number): string {
  const all = Duration.fromObject({ seconds: Math.floor(seconds) }, { locale: 'en' })
  const parts = all.shiftTo('days', 'hours', 'minutes', 'seconds').toObject()
  const units = Object.entries(parts).filter(([, amount]) => amount > 0)
  const shown = units.length > 0 ? units.slice(0, 2) : [['seconds', 0]]
  return Duration.fromObject(Object.fromEntries(shown), { locale: 'en' }).toHuman()
}
