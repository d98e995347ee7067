import { HealthChecks } from '@adonisjs/core/health'
import { AdminSite, DatabaseCheck, isBelowMount, SECURITY_HEADERS } from '#admin'
import { crudConfig, resources } from '#crud'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { checkLibraries } from '#upstream/check_libraries'
import { repairMigrations } from '#upstream/lucid_migrations'
import { migrationsOf } from './migrate_databases.js'
import { addRawHeaders } from './node_server.js'
import { productionWarnings, settingsOf } from './production_warnings.js'
import { registerProbes } from './probes.js'
import { warmUp } from './warm_up.js'
import type { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'
import { missingBase } from '#base/http/base_path'

/**
 * Connects the server with the admin site and the endpoints: registers probes and headers for responses to requests
 * that reach no route, and warms up a new process.
 */
export default class HostProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    repairMigrations({ readersOf, excluded: () => crudConfig().excludedMigrations })
    checkLibraries()
  }

  async boot() {
    await leaveAdminSite(this.app)
  }

  /** Runs no queries, because this also runs for commands and code generation. */
  async start() {
    const site = await this.app.container.make(AdminSite)
    registerProbes(site, await this.#checks(site))
    addRawHeaders((path) => (isBelowMount(site, path) ? SECURITY_HEADERS : {}))
  }

  async ready() {
    if (this.app.getEnvironment() !== 'web' || !this.app.inProduction) return
    await this.#warn()
    await this.#warmUp()
  }

  /** Logs unsafe settings. */
  async #warn() {
    const logger = await this.app.container.make('logger')
    const warnings = productionWarnings(await settingsOf(this.app))
    for (const warning of warnings) logger.warn(warning)
  }

  /** Starts the warm-up in the background. */
  async #warmUp() {
    const server = await this.app.container.make('server')
    const address = server.getNodeServer()?.address()
    if (address === null || address === undefined || typeof address === 'string') return
    void warmUp(
      address,
      resources.endpoints(),
      () => this.app.isTerminating || this.app.isTerminated
    )
  }

  /** Returns the health checks. The migration files are read on the first check, as they do not change. */
  async #checks({ dbConfig }: AdminSite): Promise<HealthChecks> {
    const db = await this.app.container.make('lucid.db')
    const names = new Set([dbConfig.applicationConnection, dbConfig.adminConnection])
    return new HealthChecks().register(
      [...names].map((name) => {
        let migrations: Promise<string[]> | undefined
        return new DatabaseCheck(db, name, () => (migrations ??= migrationsOf(db, this.app, name)))
      })
    )
  }
}

interface Middleware {
  handle(ctx: HttpContext, next: NextFn): unknown
}

/* The name is in a variable, because TypeScript would otherwise look for the package, which is not installed */
const CORS = '@adonisjs/cors/cors_middleware'

/**
 * Makes `@adonisjs/cors`, if the application uses it, ignore the admin site, so that no other site can read its pages.
 */
async function leaveAdminSite(app: ApplicationService): Promise<void> {
  if (!app.config.has('cors')) return
  const { default: Class } = await import(CORS)
  app.container.resolving(Class, (middleware: Middleware) => {
    const handle = middleware.handle.bind(middleware)
    middleware.handle = async (ctx, next) => {
      const site = await app.container.make(AdminSite)
      return isBelowMount(site, missingBase(ctx) + ctx.request.url()) ? next() : handle(ctx, next)
    }
  })
}
