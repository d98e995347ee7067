import { readFileSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime, Duration } from 'luxon'
import type { Site } from '../views/site.js'
import type { WithSessions } from '../authentication/sessions/session_manager.js'
import type { DatabaseConfig, WithDatabase } from '../config/database_config.js'
import { hasEventLog } from '../events/database_integration.js'
import { EventReader } from '../event_log/event_reader.js'
import { momentOf } from '../time/local_time.js'

/* Timeout in milliseconds, because a user waits for the page; a slower response counts as a failure. */
const TIMEOUT = 2000

/** Health of a database connection. */
interface DatabaseHealth {
  role: 'application' | 'admin'
  /** Name of the connection in config/database.ts */
  name: string
  dialect: string
  /** Duration of a trivial query in milliseconds; null if it failed */
  latency: number | null
}

/** Health of the site. Null means that a value could not be determined. */
interface HealthReport {
  databases: DatabaseHealth[]
  sessions: number | null
  /** Null if the site stores no events */
  events: { count: number | null; oldest: string | null; pending: number } | null
  runtime: {
    version: string
    node: string
    /** Uptime in seconds */
    uptime: number
    /** Memory in bytes */
    memory: number
    heap: number
  }
  /** Number of values that could not be determined */
  failures: number
}

const { version: VERSION } = JSON.parse(readFileSync(app.makePath('package.json'), 'utf8'))

type Report = (error: unknown, what: string) => void

type Attempt = ReturnType<typeof attemptWithin>

const DIALECTS: Record<string, string> = {
  'sqlite3': 'SQLite',
  'better-sqlite3': 'SQLite',
  'libsql': 'SQLite',
  'postgres': 'PostgreSQL',
  'mysql': 'MySQL',
}

/**
 * Measures the databases, sessions, events and the process, where possible concurrently. The report contains no
 * address, path or password.
 *
 * @param report    called with each failure
 * @param timeout  milliseconds after which a measurement counts as failed
 */
export async function healthReport(
  site: Site & WithDatabase & WithSessions,
  report: Report,
  { timeout = TIMEOUT } = {}
): Promise<HealthReport> {
  const attempt = attemptWithin(timeout, report)
  const log = hasEventLog(site)
  /* Latencies are measured first, because concurrent queries on the same connection delay each other. */
  const databases = await measureBoth(site.dbConfig, attempt)
  const [sessions, extent] = await Promise.all([
    attempt(() => site.sessionManager.countActive(), 'The sessions'),
    log ? attempt(() => new EventReader(site.dbConfig).extent(), 'The event log') : undefined,
  ])
  const memory = process.memoryUsage()
  const failed = [...databases.map(({ latency }) => latency), sessions, extent]
  return {
    databases,
    sessions,
    events: log
      ? {
          count: extent?.count ?? null,
          oldest: extent?.oldest ?? null,
          pending: site.events.pending,
        }
      : null,
    runtime: {
      version: VERSION,
      node: process.version,
      uptime: process.uptime(),
      memory: memory.rss,
      heap: memory.heapUsed,
    },
    failures: failed.filter((one) => one === null).length,
  }
}

/** Measures both connections; if they are the same, only once. */
async function measureBoth(config: DatabaseConfig, attempt: Attempt): Promise<DatabaseHealth[]> {
  const { applicationConnection, adminConnection } = config
  const application = measure(applicationConnection, () => config.applicationSession(), attempt)
  const admin =
    adminConnection === applicationConnection
      ? application
      : measure(adminConnection, () => config.adminSession(), attempt)
  return [
    { role: 'application', ...(await application) },
    { role: 'admin', ...(await admin) },
  ]
}

async function measure(name: string, client: () => QueryClientContract, attempt: Attempt) {
  let dialect = ''
  const latency = await attempt(async () => {
    const session = client()
    dialect = DIALECTS[session.dialect.name] ?? session.dialect.name
    const begun = performance.now()
    await session.rawQuery('select 1')
    return performance.now() - begun
  }, `The database connection ${name}`)
  return { name, dialect, latency }
}

/** Returns a function that runs a measurement and returns null if it fails or takes too long. */
function attemptWithin(timeout: number, report: Report) {
  return async <Result>(act: () => Promise<Result>, what: string): Promise<Result | null> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`No response within ${timeout} ms`)
      timer = setTimeout(() => reject(error), timeout)
    })
    try {
      return await Promise.race([act(), late])
    } catch (error) {
      report(error, what)
      return null
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Health page. Failures are shown on the page and do not make it fail. */
export class HealthController {
  constructor(private readonly site: Site & WithDatabase & WithSessions) {}

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

/** Parses the time of the oldest event, which each driver returns in a different format. */
function readTime(text: string): DateTime {
  const time = DateTime.fromSQL(text, { zone: 'utc' })
  return time.isValid ? time : DateTime.fromISO(text, { zone: 'utc' })
}

/** Formats a duration with the first two units that are not zero: `3 days, 4 hours`. */
function inWords(seconds: number): string {
  const all = Duration.fromObject({ seconds: Math.floor(seconds) }, { locale: 'en' })
  const parts = all.shiftTo('days', 'hours', 'minutes', 'seconds').toObject()
  const units = Object.entries(parts).filter(([, amount]) => amount > 0)
  const shown = units.length > 0 ? units.slice(0, 2) : [['seconds', 0]]
  return Duration.fromObject(Object.fromEntries(shown), { locale: 'en' }).toHuman()
}
