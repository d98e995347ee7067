import { mock } from 'node:test'
import { test } from '@japa/runner'
import { EngineRouter } from '#base/http/engine_router'
import { queryStrings } from '#crud/mount/mounted_parts'
import encryption from '@adonisjs/core/services/encryption'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { AdminSite, type AdminEvent, type EventIntegration } from '#admin'
import AdminProvider from '#admin/admin_provider'
import type { AdminConfig } from '#admin/config/define_config'
import { permissions, usePermissions } from '#crud/resource/permissions'
import { adminSite } from '#tests/helpers/admin'

const HOURS = 3_600_000

/**
 * Runs the action and advances the clock by two hours. The real clock is restored before the test
 * ends, as the runner's own clock would stop with it.
 */
async function hoursLater(act: () => Promise<unknown>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    await act()
    mock.timers.tick(2 * HOURS)
  } finally {
    mock.timers.reset()
  }
}

const EVENT: AdminEvent = {
  type: 'LOGOUT',
  status: 'success',
  timestamp: DateTime.utc(),
  userId: null,
  username: null,
  sessionId: null,
  ipAddress: null,
  userAgent: null,
  resourceType: null,
  resourceId: null,
  details: null,
  records: [],
}

/** A site without models, which would clash with those of the tests. */
class BareSite extends AdminSite {
  addModel() {
    return undefined as never
  }

  text(key: string) {
    return key
  }
}

/** A started provider, in an application that it can't change. */
async function started(eventIntegration: EventIntegration, environment = 'web') {
  const config = app.config.get<AdminConfig>('admin')
  const shipped = await adminSite()
  const site = new BareSite({
    ...config,
    mountPath: '/of-another-provider',
    eventIntegration,
    databaseConfig: shipped.dbConfig,
    adminAuthentication: shipped.adminAuthentication,
    router: new EngineRouter(app, encryption.use(), queryStrings),
    templates: shipped.templates,
    texts: undefined as never,
    assets: shipped.assets,
  })
  const provider = new AdminProvider({
    container: { make: async () => site },
    config: { get: () => ({ ...config, models: {} }), has: () => false },
    modelsPath: () => app.makePath('tests/no-such-folder'),
    makePath: () => app.makePath('tests/no-such-folder'),
    rcFile: { directories: {} },
    getEnvironment: () => environment,
  } as never)
  await provider.start()
  return { provider, site }
}

test.group('AdminProvider', (group) => {
  /* A provider registers the permissions of its site with the engine. */
  group.each.setup(() => {
    const before = permissions()
    return () => void usePermissions(before)
  })

  test('[E4] the shutdown of the application waits until pending events are logged', async ({
    assert,
  }) => {
    const order: string[] = []
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const { provider, site } = await started({
      async log() {
        await held
        order.push('logged')
      },
    })
    site.events.log(EVENT)
    const over = provider.shutdown().then(() => order.push('over'))
    /* Everything that it does not wait for has finished at this point. */
    await new Promise((resolve) => setImmediate(resolve))
    release()
    await over
    assert.deepEqual(order, ['logged', 'over'])
  })

  test('[E2] the web server prunes the log, and other processes do not: {environment}')
    .with([
      { environment: 'web', prunes: true },
      { environment: 'console', prunes: false },
      { environment: 'test', prunes: false },
      { environment: 'repl', prunes: false },
    ])
    .run(async ({ assert, cleanup }, { environment, prunes }) => {
      let pruned = 0
      const integration = { log: async () => {}, prune: async () => ++pruned }
      const { provider } = await started(integration, environment)
      cleanup(() => provider.shutdown())
      await hoursLater(() => provider.ready())
      assert.equal(pruned, prunes ? 1 : 0)
    })

  test('[E2] the shutdown of the application stops the pruning of the log', async ({ assert }) => {
    let pruned = 0
    const { provider } = await started({ log: async () => {}, prune: async () => ++pruned })
    await hoursLater(async () => {
      await provider.ready()
      await provider.shutdown()
    })
    assert.equal(pruned, 0)
  })

  test('[E2] a custom integration without a method prune causes no error when the log is pruned', async ({
    assert,
    cleanup,
  }) => {
    const errors: unknown[] = []
    logger.error = ((error: unknown) => void errors.push(error)) as never
    cleanup(() => void delete (logger as Partial<typeof logger>).error)
    const { provider } = await started({ log: async () => {} })
    cleanup(() => provider.shutdown())
    await hoursLater(() => provider.ready())
    assert.isEmpty(errors)
  })
})
