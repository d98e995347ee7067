import { test } from '@japa/runner'
import { Secret } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import { defineConfig } from '#admin'
import { ValueError } from '#crud'
import shipped from '../../../../../config/admin.js'

const appKey = new Secret('key')
const LOGIN = {
  attempts: 5,
  withinMinutes: 15,
  attemptsPerAddress: 50,
  quickAttemptsPerName: 20,
  slowestSeconds: 15,
  slowedAtOnce: 500,
  hashesAtOnce: 2,
  hashesWaiting: 20,
}

test.group('defineConfig of the admin site', () => {
  test('[B1, S16] every option but the key has a default', ({ assert }) => {
    assert.deepEqual(defineConfig({ appKey }), {
      appKey,
      mountPath: '/admin',
      title: 'Atrium',
      theme: 'light-theme',
      navigation: {},
      timeZone: 'UTC',
      secureCookies: true,
      templatesDirectory: undefined,
      storageDirectory: app.makePath('storage'),
      disk: undefined,
      adminConnection: undefined,
      defaultRole: 'Everything',
      models: {},
      eventIntegration: undefined,
      mfa: 'optional',
      allowedNetworks: undefined,
      sso: undefined,
      metrics: undefined,
      webhooks: { allowPrivate: false },
      mcp: undefined,
      scanFile: undefined,
      userAttributes: {},
      limiter: 'database',
      redis: {},
      jobs: {
        store: 'database',
        concurrency: 2,
        worker: true,
        keptDays: 30,
        perUser: 20,
        minutes: 60,
      },
      forms: { textMegabytes: 1, filesMegabytes: 20 },
      imports: { rows: 1_048_575, invalidRows: 10_000 },
      exports: {
        streamed: 100_000,
        keptHours: 24,
        fileMegabytes: 2048,
        keptFiles: 20,
        keptMegabytes: 4096,
      },
      sessions: { idleMinutes: 30, maximumHours: 12, perUser: 5 },
      token: { minutes: 30 },
      login: LOGIN,
    })
  })

  test('[B1, S16] given options override the defaults of defineConfig', ({ assert }) => {
    const given = {
      appKey,
      mountPath: '/backstage',
      title: 'Shop',
      theme: 'dark-theme' as const,
      navigation: { groups: ['Shop'], links: [{ label: 'Help', href: '/help' }] },
      timeZone: 'Europe/Berlin',
      secureCookies: false,
      templatesDirectory: '/srv/templates',
      storageDirectory: '/srv/uploads',
      disk: () => undefined as never,
      adminConnection: 'other',
      defaultRole: null,
      models: { Product: class {} },
      eventIntegration: { log: async () => {} },
      mfa: 'required' as const,
      allowedNetworks: undefined,
      sso: undefined,
      metrics: undefined,
      webhooks: { allowPrivate: true },
      mcp: undefined,
      scanFile: async () => undefined,
      userAttributes: {},
      limiter: 'redis' as const,
      redis: { host: 'redis.example.com' },
      jobs: {
        store: 'redis' as const,
        concurrency: 4,
        worker: false,
        keptDays: 7,
        perUser: 2,
        minutes: 5,
      },
      forms: { textMegabytes: 2, filesMegabytes: 3 },
      imports: { rows: 5, invalidRows: 1 },
      exports: { streamed: 5, keptHours: 1, fileMegabytes: 1, keptFiles: 2, keptMegabytes: 3 },
      sessions: { idleMinutes: 1, maximumHours: 2, perUser: 3 },
      token: { minutes: 4 },
      login: {
        attempts: 5,
        withinMinutes: 6,
        attemptsPerAddress: 7,
        quickAttemptsPerName: 10,
        slowestSeconds: 11,
        slowedAtOnce: 12,
        hashesAtOnce: 8,
        hashesWaiting: 9,
      },
    }
    assert.deepEqual(defineConfig(given), given)
  })

  test('[B7, B8] a single limit can be set, and the other limits keep their defaults', ({
    assert,
  }) => {
    const config = defineConfig({ appKey, sessions: { perUser: 1 }, login: { attempts: 9 } })
    assert.deepEqual(config.sessions, { idleMinutes: 30, maximumHours: 12, perUser: 1 })
    assert.deepEqual(config.login, { ...LOGIN, attempts: 9 })
  })

  test('[B1] the mount path is normalized to one leading and no trailing slash')
    .with([
      ['/', ''],
      ['', ''],
      ['//', ''],
      ['admin', '/admin'],
      ['/admin/', '/admin'],
      ['//back/stage//', '/back/stage'],
      ['/~jo/a.b_c-d', '/~jo/a.b_c-d'],
    ])
    .run(({ assert }, [mountPath, expected]) => {
      assert.equal(defineConfig({ appKey, mountPath }).mountPath, expected)
    })

  test('[B1] a mount path with invalid characters is refused')
    .with(['/ad min', '/ädmin', '/:id', '/*', '/a?b', '/a#b', '/a%20b', '/a;b', '/a\nb', '/"x'])
    .run(({ assert }, mountPath) => {
      assert.throws(() => defineConfig({ appKey, mountPath }), ValueError as any)
    })

  test('[B1] a mount path with invalid segments is refused')
    .with(['/a//b', '/a/../b', '/./a', '/..'])
    .run(({ assert }, mountPath) => {
      assert.throws(() => defineConfig({ appKey, mountPath }), ValueError as any)
    })

  test('[B17] the storage directory must be an absolute path', ({ assert }) => {
    assert.throws(
      () => defineConfig({ appKey, storageDirectory: 'uploads' }),
      "config/admin.ts: storageDirectory is 'uploads', and must be an absolute path"
    )
  })

  test('[S16] unknown themes are refused', ({ assert }) => {
    assert.throws(
      () => defineConfig({ appKey, theme: 'pink' as any }),
      "config/admin.ts: theme is 'pink', and must be 'dark-theme' or 'light-theme'"
    )
  })

  test('[G1] a link of the navigation needs a label and a safe address')
    .with([
      { href: '/a' },
      { label: 'A' },
      { label: ' ', href: '/a' },
      { label: 'A', href: 'javascript:alert(1)' },
      { label: 'A', href: ' javascript:alert(1)' },
      { label: 'A', href: '//example.com' },
      { label: 'A', href: '/\\example.com' },
      { label: 'A', href: 'data:text/html,x' },
      { label: 'A', href: 'reports' },
      { label: 'A', href: '/a', badge: 5 },
      { label: 'A', href: '/a', target: '_blank' },
    ])
    .run(({ assert }, link) => {
      assert.throws(
        () => defineConfig({ appKey, navigation: { links: [link as never] } }),
        /^config\/admin\.ts: .*navigation\.links\[0\]/
      )
    })

  test('[G1] unknown options of the navigation are refused', ({ assert }) => {
    const wrong = { groups: 'Shop' } as never
    assert.throws(() => defineConfig({ appKey, navigation: wrong }), /navigation\.groups is 'Shop'/)
    const unknown = { order: [] } as never
    assert.throws(
      () => defineConfig({ appKey, navigation: unknown }),
      /no option 'navigation\.order'/
    )
  })

  test('[U10] unknown values for the users who must have a second factor are refused')
    .with(['always', '', true, null])
    .run(({ assert }, mfa) => {
      assert.throws(
        () => defineConfig({ appKey, mfa: mfa as 'optional' }),
        /^config\/admin\.ts: mfa is .*, and must be 'optional', 'superusers' or 'required'$/
      )
    })

  test('[R12] an unknown time zone is refused')
    .with(['Mars/Olympus', '+02:00', '', 2])
    .run(({ assert }, timeZone) => {
      assert.throws(
        () => defineConfig({ appKey, timeZone: timeZone as string }),
        /^config\/admin\.ts: timeZone is .*, and must be the name of a time zone, as in 'Europe\/Berlin', or 'UTC'$/
      )
    })

  test('[B7, B8, B4] a limit that is not a positive integer is refused')
    .with([
      { sessions: { idleMinutes: 0 } },
      { sessions: { maximumHours: 1.5 } },
      { sessions: { perUser: -1 } },
      { token: { minutes: Number.NaN } },
      { login: { attempts: Infinity } },
      { login: { withinMinutes: '15' as any } },
      { login: { withinMinutes: undefined } },
      { login: { attemptsPerAddress: 0 } },
      { login: { quickAttemptsPerName: 0 } },
      { login: { slowestSeconds: 0 } },
      { login: { slowedAtOnce: -1 } },
      { login: { hashesAtOnce: 0.5 } },
      { login: { hashesWaiting: 0 } },
    ])
    .run(({ assert }, limits) => {
      assert.throws(() => defineConfig({ appKey, ...limits }), /must be a positive integer/)
    })

  test('[B1, B7, B8] the default configuration file has the specified values', ({ assert }) => {
    assert.equal(shipped.mountPath, '/admin')
    assert.deepEqual(shipped.sessions, { idleMinutes: 30, maximumHours: 12, perUser: 5 })
    assert.deepEqual(shipped.login, LOGIN)
    assert.isUndefined(shipped.adminConnection)
  })
})
