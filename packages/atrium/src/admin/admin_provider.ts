import { withBase } from '#base/http/base_path'
import type { ApplicationService } from '@adonisjs/core/types'
import { observeWrites, resources, useTokenAuthorizer } from '#crud'
import { AssetStore } from '#base/http/asset_store'
import { engineRouter } from '#base/http/engine_router'
import {
  excludeFromInclude,
  modelFiles,
  mountPart,
  reportErrors,
  Resource,
  usePermissions,
} from '#crud/internals'
import { observeRefusals } from '#base/http/send_problem'
import { listed } from '#base/errors'
import { useCounters } from '#base/counters'
import { AdminSite } from './admin_site.js'
import { siteCounters, SiteRedis } from './services/site_redis.js'
import { siteTexts, unreadFiles } from './services/site_texts.js'
import { AdminAuthentication } from './authentication/admin_authentication.js'
import { AdminUserService } from './authentication/admin_user_service.js'
import { Factors } from './authentication/factors/factors.js'
import { LoginThrottle } from './authentication/login/login_throttle.js'
import { SessionManager } from './authentication/sessions/session_manager.js'
import { TokenAuthorizer } from './authentication/access_tokens/api_guard.js'
import { TokenService } from './authentication/sessions/token_service.js'
import { WorkQueue } from './authentication/login/work_queue.js'
import { wordsOfSite } from './authentication/passwords/password_rules.js'
import { coreViews } from './core/core_views.js'
import { loadLazyParts, lazyPart } from './http/lazy_part.js'
import { DatabaseConfig } from './config/database_config.js'
import { DefaultRole } from './permissions/user_roles.js'
import { reportRoleErrors } from './roles/role_errors.js'
import { adminOptionsOf } from './views/decorator.js'
import type { AdminConfig } from './config/define_config.js'
import { DatabaseIntegration } from './events/database_integration.js'
import { offerUndoBy } from './http/flash.js'
import { PruneSchedule } from './events/prune_schedule.js'
import { filesDisk } from './forms/files/files_disk.js'
import { addCards } from './dashboard/cards/find_cards.js'
import { addPages } from './pages/find_pages.js'
import { checkReferencedModels } from './user_attributes/attribute_fields.js'
import { checkInlines } from './forms/inlines/inline_checks.js'
import { checkRelatedColumns } from './views/related_columns.js'
import { SiteTemplates } from './layout/site_templates.js'
import { mountPlace } from './http/site_paths.js'
import { handleAdminError } from './http/handle_error.js'
import { registerRoutes, registerJobKinds } from './capabilities.js'
import AdminAccessToken from './models/admin_access_token.js'
import AdminAuditLog from './models/admin_audit_log.js'
import AdminImport from './models/admin_import.js'
import AdminFactor from './models/admin_factor.js'
import AdminJob from './models/admin_job.js'
import AdminEventLog from './models/admin_event_log.js'
import AdminRecoveryCode from './models/admin_recovery_code.js'
import AdminRole from './models/admin_role.js'
import AdminSavedView from './models/admin_saved_view.js'
import AdminSession from './models/admin_session.js'
import AdminSsoIdentity from './models/admin_sso_identity.js'
import AdminTokenBlacklist from './models/admin_token_blacklist.js'
import AdminUser from './models/admin_user.js'
import AdminWebhook from './models/admin_webhook.js'
import AdminWebhookDelivery from './models/admin_webhook_delivery.js'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    'admin.site': AdminSite
  }
}

const OWN_MODELS = [
  AdminUser,
  AdminRole,
  AdminSession,
  AdminTokenBlacklist,
  AdminAccessToken,
  AdminSavedView,
  AdminWebhook,
]
const MINUTE = 60_000

/* Milliseconds after the start until lazily imported parts are loaded, so that the first requests are not delayed */
const AFTER_START = 3000

const LOG_MODELS = [AdminEventLog, AdminAuditLog]
/* Models that have no pages in the admin site */
const FACTOR_MODELS = [AdminFactor, AdminRecoveryCode, AdminSsoIdentity]

/**
 * Builds the admin site from `config/admin.ts` and the decorated models.
 */
export default class AdminProvider {
  #site: AdminSite | undefined
  #redis: SiteRedis | undefined
  #stopObserving: (() => void) | undefined
  #stopOutbox: (() => void) | undefined
  #stopMetrics: (() => void) | undefined
  readonly #schedules: PruneSchedule[] = []
  #isStopping = false

  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton(AdminSite, () => this.#build())
    this.app.container.alias('admin.site', AdminSite)
    this.app.container.singleton(SiteRedis, async (resolver) => {
      return (this.#redis = new SiteRedis(this.#config().redis, await resolver.make('logger')))
    })
  }

  /**
   * Registers the models, routes and observers of the site. Makes no query, as this also runs for commands and code
   * generation.
   */
  async start() {
    const site = await this.app.container.make(AdminSite)
    this.#site = site
    registerJobKinds(site)
    offerUndoBy(
      lazyPart(
        () => import('./undo/undoable_event.js'),
        ({ offerUndo }) => offerUndo.bind(null, site)
      )
    )
    const errors: Error[] = []
    const hidden = [...FACTOR_MODELS, AdminJob, AdminImport, AdminWebhookDelivery]
    for (const model of [...OWN_MODELS, ...LOG_MODELS, ...hidden]) {
      model.connection = site.dbConfig.adminConnection
      excludeFromInclude(model)
    }
    await this.#addModels(site, errors)
    /*
     * Registered before the event log, so that the log's statement can include the inserts of the outbox.
     */
    this.#stopOutbox = observeWrites(site.webhooks.outbox)
    this.#logEvents(site)
    useTokenAuthorizer(new TokenAuthorizer())
    observeRefusals((ctx, refusal) => site.refusals.note(ctx, refusal))
    usePermissions(site.permissions)
    /* If a table of these models is missing, the start fails, as for any other model. */
    for (const model of hidden) {
      resources.track(new Resource({ model }), { ownCode: false })
    }
    registerRoutes(site)
    await this.#serveMetrics(site)
    errors.push(...(await addPages(this.app, site)), ...(await addCards(this.app, site)))
    mountPart({
      prefixOf: mountPlace(site),
      handleError: (error, ctx) => handleAdminError(site, error, ctx),
    })

    reportErrors(errors, this.app)
  }

  /** Starts the background work of the web server: jobs, webhooks, and the removal of old events, jobs and files. */
  async ready() {
    const site = this.#site
    if (this.app.getEnvironment() !== 'web' || !site) return
    await reportRoleErrors(site)
    await this.#reportUnreadFiles()
    const { keptDays, worker } = this.#config().jobs
    if (worker) {
      await site.jobs.work()
      site.webhooks.work()
    }
    const { store } = site.webhooks
    this.#schedules.push(new PruneSchedule(() => store.prune(keptDays), { what: 'deliveries' }))
    this.#schedules.push(new PruneSchedule(() => site.jobs.store.prune(keptDays), { what: 'jobs' }))
    /* Removes old imports with their files, and files that a killed process may have left. */
    this.#schedules.push(
      new PruneSchedule(
        async () => {
          const { Imports } = await import('./import/imports.js')
          return await Imports.of(site).prune()
        },
        { first: MINUTE, what: 'imports' }
      )
    )
    const keptHours = Math.min(site.exports.keptHours, keptDays * 24)
    this.#schedules.push(
      new PruneSchedule(
        async () => {
          const { pruneExports } = await import('./export/export_job.js')
          return await pruneExports(keptHours)
        },
        { what: 'files of exports' }
      )
    )
    this.#schedules.push(
      new PruneSchedule(
        async () => {
          const { pruneWaitingFiles } = await import('./forms/files/waiting_files.js')
          return await pruneWaitingFiles((name) => site.models.get(name))
        },
        { what: 'uploads' }
      )
    )
    const integration = site.eventIntegration
    if (integration?.prune) this.#schedules.push(new PruneSchedule(() => integration.prune!()))
    for (const schedule of this.#schedules) schedule.start()
    if (this.app.inProduction) setTimeout(() => this.#loadLazyParts(), AFTER_START).unref()
  }

  /**
   * Waits for the current step of each running job and, for a limited time, for events that are being logged, before
   * the database closes.
   */
  async shutdown() {
    this.#isStopping = true
    await Promise.all([this.#site?.jobs.stop(), this.#site?.webhooks.stop()])
    this.#stopObserving?.()
    this.#stopOutbox?.()
    this.#stopMetrics?.()
    for (const schedule of this.#schedules) schedule.stop()
    await this.#site?.refusals.settle()
    await this.#site?.events.settle()
    await this.#site?.accessTokens.settle()
    await this.#site?.adminAuthentication.sessions.settle()
    await this.#redis?.close()
  }

  /** Logs writes as events. If a log table is missing, the start fails, instead of every later write. */
  #logEvents(site: AdminSite) {
    if (!site.events.isActive) return
    this.#stopObserving = observeWrites(site.events)
    if (!(site.eventIntegration instanceof DatabaseIntegration)) return
    for (const model of LOG_MODELS) resources.track(new Resource({ model }), { ownCode: false })
  }

  /** Loads the package of the metrics only if they are enabled. */
  async #serveMetrics(site: AdminSite) {
    const { metrics } = this.#config()
    if (!metrics) return
    const { serveMetrics } = await import('./metrics/site_metrics.js')
    this.#stopMetrics = serveMetrics(site, metrics)
  }

  /** Loads the lazily imported modules and the assets in advance, so that no request waits for them. */
  async #loadLazyParts() {
    try {
      await loadLazyParts(() => this.#isStopping)
      const assets = await this.#site?.assets()
      await assets?.prepare(() => this.#isStopping)
    } catch (error) {
      const logger = await this.app.container.make('logger')
      logger.error({ err: error }, 'A part of the admin site could not be loaded')
    }
  }

  async #reportUnreadFiles() {
    const files = unreadFiles(this.app)
    if (files.length === 0) return
    const logger = await this.app.container.make('logger')
    logger.warn(
      `Nothing reads ${listed(files)} any more: move what you changed there to config/admin.ts, as CHANGELOG.md says, and delete the file`
    )
  }

  async #addModels(site: AdminSite, errors: Error[]) {
    const add = (act: () => void) => {
      try {
        act()
      } catch (error) {
        errors.push(error as Error)
      }
    }
    for (const [model, options] of coreViews(site)) {
      add(() => site.addModel(model, { ...options, adminModel: true }))
    }

    for (const file of await modelFiles(this.app)) {
      /* The CRUD provider reports files that cannot be loaded. */
      if ('error' in file) continue
      for (const model of file.exported) {
        if (typeof model !== 'function') continue
        add(() => {
          const options = adminOptionsOf(model)
          if (options) site.addModel(model as any, options)
        })
      }
    }
    for (const entry of Object.values(this.#config().models)) {
      const [model, options] = Array.isArray(entry) ? entry : [entry, {}]
      add(() => site.addModel(model, options))
    }
    for (const view of site.models.values()) add(() => checkInlines(site, view))
    for (const view of site.models.values()) add(() => checkRelatedColumns(view))
    add(() => checkReferencedModels(site))
  }

  async #build(): Promise<AdminSite> {
    const config = this.#config()
    const templates = await SiteTemplates.load(config.templatesDirectory)
    const databaseConfig = new DatabaseConfig({ admin: config.adminConnection })
    useCounters(await siteCounters(this.app, config))
    /* The start fails if the packages of the configured disk are missing. */
    await filesDisk()
    const sessions = new SessionManager(config.sessions)
    const authentication = new AdminAuthentication(
      new AdminUserService(
        new WorkQueue(config.login.hashesAtOnce, config.login.hashesWaiting),
        new DefaultRole(config.defaultRole),
        wordsOfSite({ title: config.title, appUrl: this.app.config.get('app.appUrl', '') })
      ),
      sessions,
      new TokenService(config.appKey.release(), config.token.minutes),
      new LoginThrottle(config.login),
      new Factors(sessions),
      config
    )
    return new AdminSite({
      ...config,
      databaseConfig,
      adminAuthentication: authentication,
      router: engineRouter(),
      templates,
      texts: await siteTexts(this.app),
      assets: lazyPart(
        () => import('./assets/admin_assets.js'),
        ({ adminAssets }) => AssetStore.load(adminAssets)
      ),
    })
  }

  #config(): AdminConfig {
    const config = this.app.config.get<AdminConfig>('admin')
    return { ...config, mountPath: withBase(config.mountPath) }
  }
}
