import { test } from '@japa/runner'
import { Secret } from '@adonisjs/core/helpers'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { AdminAuthentication, AdminSite, defineConfig, ModelView } from '#admin'
import { AdminUserService } from '#admin/authentication/admin_user_service'
import { Factors } from '#admin/authentication/factors/factors'
import { LoginThrottle } from '#admin/authentication/login/login_throttle'
import { SessionManager } from '#admin/authentication/sessions/session_manager'
import { TokenService } from '#admin/authentication/sessions/token_service'
import { DatabaseConfig } from '#admin/config/database_config'
import { resources, RuntimeError, ValueError } from '#crud'
import { engineRouter } from '#base/http/engine_router'
import { adminSite } from '#tests/helpers/admin'
import { ANOTHER, MAIN } from '#tests/helpers/databases'

async function siteWith(settings: Partial<Parameters<typeof defineConfig>[0]>) {
  const config = defineConfig({ appKey: new Secret('a key'), ...settings })
  const shipped = await adminSite()
  const sessions = new SessionManager(config.sessions)
  const parameters = {
    ...config,
    databaseConfig: new DatabaseConfig(),
    adminAuthentication: new AdminAuthentication(
      new AdminUserService(),
      sessions,
      new TokenService('a key', 30),
      new LoginThrottle(config.login),
      new Factors(sessions),
      config
    ),
    router: engineRouter(),
    templates: shipped.templates,
    texts: undefined as any,
    assets: shipped.assets,
  }
  return { site: new AdminSite(parameters), parameters }
}

test.group('AdminSite', (group) => {
  /* Models of these tests have no table, so that what loads all models later must not find them. */
  group.each.setup(() => {
    const { track } = resources
    resources.track = () => {}
    return () => void (resources.track = track)
  })

  test('[S16] a site uses the given services and options', async ({ assert }) => {
    const eventIntegration = { log: async () => {} }
    const { site, parameters } = await siteWith({
      mountPath: '/backstage',
      theme: 'dark-theme',
      secureCookies: false,
      templatesDirectory: '/srv/templates',
      eventIntegration,
    })
    const { adminAuthentication } = parameters
    assert.strictEqual(site.dbConfig, parameters.databaseConfig)
    assert.strictEqual(site.router, engineRouter())
    assert.strictEqual(site.templates, parameters.templates)
    assert.equal(site.templatesDirectory, '/srv/templates')
    assert.strictEqual(site.adminAuthentication, adminAuthentication)
    assert.strictEqual(site.adminUserService, adminAuthentication.users)
    assert.strictEqual(site.sessionManager, adminAuthentication.sessions)
    assert.equal(site.mountPath, '/backstage')
    assert.equal(site.theme, 'dark-theme')
    assert.isFalse(site.secureCookies)
    assert.strictEqual(site.eventIntegration, eventIntegration)
    assert.equal(site.models.size, 0)
  })

  test('[S16] a site has no event integration by default', async ({ assert }) => {
    const { site } = await siteWith({})
    assert.isUndefined(site.eventIntegration)
  })

  test('[B1, S16] every URL of the site is below the mount path', async ({ assert }) => {
    const { site } = await siteWith({ mountPath: '/back/stage' })
    assert.equal(site.url('/'), '/back/stage')
    assert.equal(site.url('/login'), '/back/stage/login')
    const { site: root } = await siteWith({ mountPath: '/' })
    assert.equal(root.url('/'), '/')
    assert.equal(root.url('/login'), '/login')
  })

  test('[P13] a model is registered in the site by its class name', async ({ assert }) => {
    class Thing extends BaseModel {
      @column({ isPrimary: true })
      declare id: number
    }
    const { site } = await siteWith({})
    const view = site.addModel(Thing, { label: 'Things' })
    assert.instanceOf(view, ModelView)
    assert.strictEqual(site.models.get('Thing'), view)
    assert.strictEqual(view.adminSite, site)
    assert.strictEqual(view.databaseConfig, site.dbConfig)
    assert.equal(view.label, 'Things')
  })

  test('[P13] a duplicate model name is refused', async ({ assert }) => {
    const make = () => {
      class Thing extends BaseModel {
        @column({ isPrimary: true })
        declare id: number
      }
      return Thing
    }
    const { site } = await siteWith({})
    const first = site.addModel(make())
    assert.throws(() => site.addModel(make()), ValueError as any)
    assert.throws(() => site.addModel(make()), /are called Thing/)
    assert.strictEqual(site.models.get('Thing'), first)
  })

  test('[B13] the default site has the admin site’s own models with their actions', async ({
    assert,
  }) => {
    const { models } = await adminSite()
    const actions = (name: string) => [...models.get(name)!.allowedActions]
    assert.sameMembers(actions('AdminUser'), ['view', 'create', 'update', 'delete'])
    assert.sameMembers(actions('AdminSession'), ['view', 'delete'])
    assert.sameMembers(actions('AdminAccessToken'), ['view', 'delete'])
    assert.sameMembers(actions('AdminTokenBlacklist'), ['view'])
    for (const name of ['AdminUser', 'AdminSession', 'AdminAccessToken', 'AdminTokenBlacklist']) {
      assert.isTrue(models.get(name)!.adminModel)
    }
  })

  test('[B1] texts of the site come from its translation file', async ({ assert }) => {
    const site = await adminSite()
    assert.equal(site.text('login.invalid'), 'The user name or the password is wrong.')
    assert.equal(
      site.text('login.throttled', { minutes: 1 }),
      'Too many attempts. Try again in 1 minute.'
    )
  })
})

test.group('DatabaseConfig', () => {
  test('[B1] by default the admin site’s tables use the application’s connection', ({ assert }) => {
    const config = new DatabaseConfig()
    assert.equal(config.applicationConnection, MAIN)
    assert.equal(config.adminConnection, MAIN)
    assert.equal(config.adminSession().connectionName, MAIN)
    assert.equal(config.applicationSession().connectionName, MAIN)
  })

  test('[B1] the admin site’s tables can use another connection', ({ assert }) => {
    const config = new DatabaseConfig({ admin: ANOTHER })
    assert.equal(config.adminSession().connectionName, ANOTHER)
    assert.equal(config.applicationSession().connectionName, MAIN)
  })

  test('[B1] an unknown connection is an error that names the known ones', ({ assert }) => {
    const make = () => new DatabaseConfig({ admin: 'nowhere' })
    assert.throws(make, RuntimeError as any)
    assert.throws(make, /adminConnection is 'nowhere', and must be one of .*sqlite/)
  })
})
