import { searchOnly } from '#base/columns/search_condition'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import type { EngineRouter } from '#base/http/engine_router'
import type { I18nManager } from '@adonisjs/i18n'
import { resources, ValueError } from '#crud'
import { suppressRefusal } from '#base/http/send_problem'
import type { AssetStore } from '#base/http/asset_store'
import { pageAssets, scriptOf } from './assets/admin_assets.js'
import { AccessTokens } from './authentication/access_tokens/access_tokens.js'
import { recordLoginDevice, KnownDevices } from './authentication/devices/known_devices.js'
import { Invitations } from './authentication/invitations/invitations.js'
import type { AdminAuthentication } from './authentication/admin_authentication.js'
import type { AdminUserService } from './authentication/admin_user_service.js'
import type { SessionManager } from './authentication/sessions/session_manager.js'
import type { DatabaseConfig } from './config/database_config.js'
import { Sso } from './authentication/sso/sso.js'
import type { SsoConfig } from './config/sso_config.js'
import { EXPORT_LIMITS, IMPORT_LIMITS, type AdminConfig } from './config/define_config.js'
import type { UserAttributes } from './config/user_attributes.js'
import { EventDispatcher } from './events/event_dispatcher.js'
import type { EventIntegration } from './events/event_integration.js'
import { eventFrom, type RequestEvent } from './events/request_event.js'
import { RefusalLog } from './events/refusals/refusal_log.js'
import { Drafts } from './forms/drafts/drafts.js'
import { checkSortColumns } from './forms/inlines/inline_checks.js'
import { checkOrderColumn } from './views/row_order.js'
import { checkWidgetColumns } from './views/widget_checks.js'
import { SavedViews } from './list/saved_views/saved_views.js'
import { sidebarGroups } from './layout/sidebar.js'
import { siteUser } from './identity/person.js'
import type { SiteTemplates } from './layout/site_templates.js'
import { Jobs } from './jobs/jobs.js'
import { flashOf } from './http/flash.js'
import { writtenKeys, hasSingleKeys } from './keyboard/keys.js'
import { MailedNotices, Notices, noticesOf } from './notices/notices.js'
import { pageAddress, publicAddress } from './http/page_address.js'
import type { Navigation } from './config/navigation_config.js'
import type { AdminCard } from './views/admin_card.js'
import type { AdminPage } from './views/admin_page.js'
import { ModelView, type AdminViewOptions, type ViewSite } from './views/model_view.js'
import AdminSession from './models/admin_session.js'
import AdminTokenBlacklist from './models/admin_token_blacklist.js'
import { Preferences } from './preferences/preferences.js'
import { RolePermissions } from './permissions/role_permissions.js'
import { viewedRole } from './permissions/view_as_guard.js'
import { presentZone, UTC } from './time/time_zone.js'
import { ZONE_FIELD } from './http/zone_of_person.js'
import { lackingScopes } from './views/lacking_scopes.js'
import { visibleViews } from './views/visible_views.js'
import { Webhooks } from './webhooks/webhooks.js'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import { guardOf } from './identity/admin_guard.js'

/* Maximum number of cached texts, enough for some hundred pages. Bounded, as texts can contain titles of records. */
const MOST_TEXTS = 2000

/** Parameters of the `AdminSite` constructor */
interface AdminSiteParameters {
  databaseConfig: DatabaseConfig
  templatesDirectory: string | undefined
  adminAuthentication: AdminAuthentication
  mountPath: string
  title: string
  theme: AdminConfig['theme']
  navigation?: Navigation
  timeZone?: string
  exports?: AdminConfig['exports']
  imports?: AdminConfig['imports']
  jobs?: AdminConfig['jobs']
  userAttributes?: UserAttributes
  secureCookies: boolean
  eventIntegration?: EventIntegration
  sso?: SsoConfig
  webhooks?: AdminConfig['webhooks']
  mcp?: AdminConfig['mcp']
  router: EngineRouter
  templates: SiteTemplates
  texts: I18nManager
  assets: () => Promise<AssetStore>
}

/**
 * The admin site: its configuration, its services and the models registered in it. It has many members because it has
 * one for each service; classes declare which of them they need, as in `Site & WithJobs`.
 */
export class AdminSite implements ViewSite {
  readonly dbConfig: DatabaseConfig
  readonly router: EngineRouter
  readonly templates: SiteTemplates
  readonly templatesDirectory: string | undefined
  readonly models = new Map<string, ModelView>()
  /** Pages of the application, by path */
  readonly pages = new Map<string, AdminPage>()
  /** Dashboard cards of the application, by name */
  readonly cards = new Map<string, AdminCard>()
  readonly adminAuthentication: AdminAuthentication
  readonly adminUserService: AdminUserService
  readonly sessionManager: SessionManager
  /** Permissions of users, derived from their roles */
  readonly permissions = new RolePermissions(this)
  /** Access tokens of API clients */
  readonly accessTokens = new AccessTokens((user, data, options) =>
    this.notices.notify(user, 'token_made', data, options)
  )
  /** Notices to users about their accounts */
  readonly notices: Notices = new Notices(
    () => this.dbConfig.adminSession(),
    new MailedNotices(this)
  )
  /** Browsers that users have logged in with */
  readonly devices: KnownDevices
  /** Links with which users set their passwords */
  readonly invitations = new Invitations()
  /** Single sign-on; undefined if it is not configured */
  sso: Sso | undefined
  /** Preferences of users */
  readonly preferences = new Preferences(() => this.dbConfig.adminSession())
  /** Form input that is not saved to a record yet */
  readonly drafts = new Drafts(() => this.dbConfig.adminSession())
  /** Saved views of lists */
  readonly savedViews = new SavedViews(() => this.dbConfig.adminSession())
  readonly mountPath: string
  readonly title: string
  readonly theme: AdminConfig['theme']
  /** Order of the sidebar, and links in it */
  readonly navigation: Navigation
  /** Time zone of users who have not chosen one */
  readonly timeZone: string
  /** Limits of exports */
  readonly exports: AdminConfig['exports']
  /** Limits of imports */
  readonly imports: AdminConfig['imports']
  /** Attributes of users that the application declares */
  readonly userAttributes: UserAttributes
  readonly secureCookies: boolean
  readonly eventIntegration: EventIntegration | undefined
  /** Logs the events of the site */
  readonly events: EventDispatcher
  /** Logs refused requests */
  readonly refusals = new RefusalLog(this)
  /** Background jobs */
  readonly jobs = new Jobs(this)
  /** Settings of the MCP server; undefined if it is disabled */
  mcp: AdminConfig['mcp']
  /** Sends messages about writes to webhooks */
  readonly webhooks: Webhooks
  /** Loads the stylesheets, scripts and fonts when the first page needs them */
  readonly assets: () => Promise<AssetStore>
  readonly #texts: I18nManager
  readonly #said = new Map<string, string>()

  constructor(parameters: AdminSiteParameters) {
    this.dbConfig = parameters.databaseConfig
    this.router = parameters.router
    this.templates = parameters.templates
    this.templatesDirectory = parameters.templatesDirectory
    this.adminAuthentication = parameters.adminAuthentication
    this.adminUserService = parameters.adminAuthentication.users
    this.sessionManager = parameters.adminAuthentication.sessions
    this.mountPath = parameters.mountPath
    this.title = parameters.title
    this.theme = parameters.theme
    this.navigation = parameters.navigation ?? {}
    this.userAttributes = parameters.userAttributes ?? {}
    this.timeZone = parameters.timeZone ?? UTC
    this.exports = parameters.exports ?? { ...EXPORT_LIMITS }
    this.imports = parameters.imports ?? { ...IMPORT_LIMITS }
    if (parameters.jobs) {
      const { concurrency, minutes, perUser, store: queueStore } = parameters.jobs
      Object.assign(this.jobs, { concurrency, minutes, perUser, queueStore })
    }
    this.secureCookies = parameters.secureCookies
    this.eventIntegration = parameters.eventIntegration
    this.events = new EventDispatcher(parameters.eventIntegration)
    this.assets = parameters.assets
    this.mcp = parameters.mcp
    this.webhooks = new Webhooks(this, parameters.webhooks ?? { allowPrivate: false })
    this.sso = parameters.sso && new Sso(this, parameters.sso)
    this.devices = new KnownDevices(() => this.dbConfig.adminSession(), parameters)
    this.adminAuthentication.onLogin((ctx, user, session) =>
      recordLoginDevice(this, ctx, user, session)
    )
    this.#texts = parameters.texts
  }

  /**
   * Adds a model to the site.
   *
   * @throws ValueError, TypeError or RuntimeError  for invalid options, or when another model has
   *   the same name
   */
  addModel(
    model: LucidModel,
    options: AdminViewOptions & { adminModel?: boolean } = {}
  ): ModelView {
    const view = new ModelView({
      ...options,
      model,
      databaseConfig: this.dbConfig,
      adminSite: this,
    })
    if (this.models.has(view.name)) {
      throw new ValueError(
        `Two models of the admin site are called ${view.name}; the name is in its paths, so give one of the classes another one`
      )
    }
    this.models.set(view.name, view)
    if (options.searchableColumns) searchOnly(model, options.searchableColumns)
    resources.track(view.resource, {
      ownCode: !WRITTEN_BY_REQUESTS.includes(view.model),
      check: () => {
        checkWidgetColumns(view.name, view.options.fields ?? {}, view.resource.columns)
        checkSortColumns(this, view)
        checkOrderColumn(view.name, view.orderColumn, view.resource.uniqueKeys)
      },
    })
    return view
  }

  /** Logs an event that is not a write to records. Does not wait until the event is stored. */
  logEvent(ctx: HttpContext, event: RequestEvent): void {
    if (event.status === 'failure') suppressRefusal(ctx)
    if (this.events.isActive) this.events.log(eventFrom(ctx, event))
  }

  /** Returns the URL of a path in the site, without the host: `/login` -> `/admin/login`. */
  url(path: string): string {
    return path === '/' ? this.mountPath || '/' : this.mountPath + path
  }

  /**
   * Returns the absolute URL of a path in the site, for links in emails and the like. The host is that of `APP_URL`;
   * outside of production it is that of the request.
   */
  absoluteUrl(path: string, ctx?: HttpContext): string {
    const isLocal = ctx !== undefined && !app.inProduction
    const origin = isLocal
      ? `${ctx.request.protocol()}://${ctx.request.host()}`
      : new URL(app.config.get<string>('app.appUrl')).origin
    return origin + this.url(path)
  }

  /** Returns a text of the catalogue in the site's language. */
  text(key: string, data?: Record<string, unknown>): string {
    /* Formatted texts are cached: formatting one takes longer than a query, and most are the same on every page. */
    const id = data === undefined ? key : key + JSON.stringify(data)
    let text = this.#said.get(id)
    if (text === undefined) {
      text = this.#texts.locale('en').t(`admin.${key}`, data)
      if (this.#said.size >= MOST_TEXTS) this.#said.clear()
      this.#said.set(id, text)
    }
    return text
  }

  /** Renders a page or a partial of the site. */
  async render(
    ctx: HttpContext,
    template: string,
    data: Record<string, unknown> = {}
  ): Promise<string> {
    return await this.renderPage(ctx, template, data, `admin/${template}`)
  }

  /**
   * Renders a page for which a view can have a custom template.
   *
   * @param own  the view's template, relative to resources/views; undefined for the template of the site
   */
  async renderPage(
    ctx: HttpContext,
    template: string,
    data: Record<string, unknown>,
    own: string | undefined
  ): Promise<string> {
    if (own === undefined) return await this.render(ctx, template, data)
    return await this.templates.render(ctx, own, { site: await siteContext(this, ctx), ...data })
  }
}

/** Models that the site itself writes while it handles requests. Only writes by other code are logged. */
const WRITTEN_BY_REQUESTS: LucidModel[] = [AdminSession, AdminTokenBlacklist]

/** Values that every template receives about the site and the request. */
async function siteContext(site: AdminSite, ctx: HttpContext) {
  const user = guardOf(ctx).signedIn?.owner
  const assets = await site.assets()
  return {
    title: site.title,
    mountPath: site.mountPath,
    theme: chosenTheme(ctx) ?? site.theme,
    path: ctx.request.parsedUrl.pathname ?? '/',
    pathWithQuery: user ? await pageAddress(site, ctx) : publicAddress(site, ctx),
    url: (path: string) => site.url(path),
    asset: (name: string) => site.url(`/assets/${assets.url(name)}`),
    scriptOf,
    assetsOf: (names: Array<string | null | undefined>) => pageAssets(assets, names),
    t: (key: string, data?: Record<string, unknown>) => site.text(key, data),
    user: user ? siteUser(user) : null,
    groups: user ? await sidebarGroups(site, ctx, { isPart: isPart(ctx) }) : [],
    keys: keysOf(site, ctx),
    zone: { name: presentZone(), field: ZONE_FIELD },
    flash: await flashOf(ctx),
    viewing: await viewing(site, ctx),
    acting: guardOf(ctx).signedIn?.acting ?? null,
    notices: await noticesOf(site, ctx),
  }
}

/** Returns the role that the site is viewed as, with the values that its scopes need and the user does not have. */
async function viewing(site: AdminSite, ctx: HttpContext) {
  const role = await viewedRole(ctx)
  if (!role) return null
  const models = new Map<string, string[]>()
  for (const view of await visibleViews(site, ctx)) {
    const lacking = await lackingScopes(ctx, site, view)
    for (const value of new Set(lacking.map((one) => one.value))) {
      models.set(value, [...(models.get(value) ?? []), view.label])
    }
  }
  const lacks = [...models].map(([value, labels]) => ({ value, models: labels.join(', ') }))
  return { ...role, lacks }
}

/** Returns true for a request of a part of a page. */
function isPart(ctx: HttpContext): boolean {
  return ctx.request.header('hx-request') !== undefined
}

/** Returns the keyboard shortcuts for the page's script; empty for partial pages. */
async function keysOf(site: AdminSite, ctx: HttpContext): Promise<string> {
  if (isPart(ctx)) return ''
  return writtenKeys(await hasSingleKeys(ctx, site))
}

/** Returns the theme that the viewer has chosen; undefined if the site's setting applies. */
function chosenTheme(ctx: HttpContext): string | undefined {
  const theme = ctx.request.plainCookie('admin_theme', { encoded: false })
  return ['dark-theme', 'light-theme', 'system-theme'].includes(theme) ? theme : undefined
}
