import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { ValueError } from '#crud'
import { defineConfig } from '#admin'
import { cookiesOf, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { call, get, statusOf } from '#tests/helpers/http'

/** Clients of the tests have a loopback address. */
const HERE = ['127.0.0.0/8', '::1']
const ELSEWHERE = ['192.0.2.0/24', '2001:db8::/32']

function allow(networks: readonly string[] | undefined): void {
  app.config.set('admin.allowedNetworks', networks)
}

/** Trusts every proxy, as TRUST_PROXY does for one. */
function trustProxies(cleanup: (restore: () => void) => void): void {
  const settings = app.config.get<{ http: { trustProxy: unknown } }>('app')
  const { http } = settings
  const { trustProxy } = http
  http.trustProxy = () => true
  /* A copy, because the served hosts are stored with the settings that they were read from. */
  app.config.set('app', { ...settings })
  cleanup(() => {
    http.trustProxy = trustProxy
    app.config.set('app', settings)
  })
}

const PATHS = [
  '/admin/',
  '/admin/login',
  '/admin/nowhere',
  '/admin/Play/crud',
  '/admin/Nothing/crud',
]

test.group('Allowed networks', (group) => {
  let cookie: string
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('su'))
    return () => allow(undefined)
  })

  test('[W10] clients of other networks get 403 on every page, signed in or not', async ({
    assert,
  }) => {
    allow(ELSEWHERE)
    for (const path of PATHS) {
      for (const headers of [undefined, { cookie }]) {
        const { status, text } = await get(path, { headers })
        assert.equal(status, 403, path)
        assert.include(text, 'cannot be used from your network', path)
      }
    }
    assert.equal(await statusOf(call('POST', '/admin/login', { body: 'username=su' })), 403)
    assert.notEqual(await statusOf(get('/api/artworks')), 403)
    allow([...ELSEWHERE, ...HERE])
    assert.equal(await statusOf(get('/admin/', { headers: { cookie } })), 200)
    assert.equal(await statusOf(get('/admin/login')), 200)
  })

  test('[W10] behind a trusted proxy the address of the client is checked, otherwise that of the connection', async ({
    assert,
    cleanup,
  }) => {
    const login = (client: string) =>
      statusOf(get('/admin/login', { headers: { 'x-forwarded-for': client } }))
    allow(ELSEWHERE)
    assert.equal(await login('192.0.2.1'), 403)
    trustProxies(cleanup)
    assert.equal(await login('192.0.2.1'), 200)
    assert.equal(await login('::ffff:192.0.2.1'), 200)
    assert.equal(await login('2001:db8::7'), 200)
    assert.equal(await login('198.51.100.1'), 403)
  })

  test('[W10] behind an untrusted proxy on this machine, a client has no known address and is refused', async ({
    assert,
    cleanup,
  }) => {
    allow(HERE)
    const through = (headers: Record<string, string>) => statusOf(get('/admin/login', { headers }))
    assert.equal(await through({}), 200)
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']) {
      assert.equal(await through({ [name]: '127.0.0.1' }), 403, name)
    }
    trustProxies(cleanup)
    assert.equal(await through({ 'x-forwarded-for': '127.0.0.1' }), 200)
  })

  test('[W10] invalid allowedNetworks are refused at the start')
    .with([[[]], [['localhost']], [['10.0.0.0/33']], ['10.0.0.0/8']])
    .run(({ assert }, [allowedNetworks]) => {
      const { appKey } = app.config.get<any>('admin')
      assert.throws(
        () => defineConfig({ appKey, allowedNetworks: allowedNetworks as string[] }),
        ValueError as any,
        'allowedNetworks is'
      )
    })
})
