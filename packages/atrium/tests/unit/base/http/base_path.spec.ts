import type { IncomingMessage } from 'node:http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import {
  basePath,
  innerUrl,
  stripBase,
  useEnginePaths,
  withBase,
  withoutBase,
} from '#base/http/base_path'

const PROXY = '10.0.0.1'

function requestOf(url: string, prefix?: string, address = PROXY): IncomingMessage {
  const headers = prefix === undefined ? {} : { 'x-forwarded-prefix': prefix }
  return { url, headers, socket: { remoteAddress: address } } as unknown as IncomingMessage
}

test.group('Base path', (group) => {
  let settings: object
  const use = (appUrl: string) =>
    app.config.set('app', {
      ...settings,
      appUrl,
      http: { trustProxy: (address: string) => address === PROXY },
    })

  group.each.setup(() => {
    settings = app.config.get<object>('app')
    use('https://tools.example.com/atrium/')
    return () => app.config.set('app', settings)
  })

  test('[W2] the base path is the path of APP_URL', ({ assert }) => {
    assert.equal(basePath(), '/atrium')
    assert.equal(withBase('/admin'), '/atrium/admin')
    assert.equal(withoutBase('/atrium/admin'), '/admin')
    assert.equal(withoutBase('/atrium'), '/')
    assert.equal(withoutBase('/atriums'), '/atriums')
    use('https://tools.example.com')
    assert.equal(basePath(), '')
    assert.equal(innerUrl(requestOf('/atrium/admin')), '/atrium/admin')
    for (const path of ['/a%20b', '/a//b']) {
      use(`https://tools.example.com${path}`)
      assert.throws(() => basePath(), /APP_URL .* has the path/)
    }
  })

  test('[W2] the base path is removed from a URL that begins with it: {0}')
    .with([
      ['/atrium', '/'],
      ['/atrium?x=1', '/?x=1'],
      ['/atrium/', '/'],
      ['/atrium/admin/?next=/atrium/x', '/admin/?next=/atrium/x'],
      ['http://tools.example.com/atrium/api', 'http://tools.example.com/api'],
      ['/admin/', '/admin/'],
      ['/atriums/x', '/atriums/x'],
      ['/?x=/atrium/y', '/?x=/atrium/y'],
      ['*', '*'],
    ] as Array<[string, string]>)
    .run(({ assert }, [url, inner]) => {
      assert.equal(innerUrl(requestOf(url)), inner)
    })

  test('[W2] the base path is removed from a URL only once', ({ assert }) => {
    const request = requestOf('/atrium/atrium/x')
    stripBase(request)
    stripBase(request)
    assert.equal(request.url, '/atrium/x')
    assert.equal(innerUrl(request), '/atrium/x')
  })

  test('[W2] URLs have no base path if a trusted X-Forwarded-Prefix states that the proxy has removed it', ({
    assert,
    cleanup,
  }) => {
    use('https://tools.example.com/admin')
    const before = useEnginePaths((path) => /^\/admin\/(admin\/login|api)/.test(path))
    cleanup(() => void useEnginePaths(before))
    assert.equal(innerUrl(requestOf('/admin/login', '/admin')), '/admin/login')
    assert.equal(innerUrl(requestOf('/admin/login', '/admin/, /x')), '/admin/login')
    assert.equal(innerUrl(requestOf('/admin/login')), '/login')
    const ignored = ['//admin', 'https://evil.example/admin', '/admin"><script>', '/admin/..', '/x']
    for (const prefix of ignored) {
      assert.equal(innerUrl(requestOf('/admin/login', prefix)), '/login', prefix)
    }
    assert.equal(innerUrl(requestOf('/admin/login', '/admin', '8.8.8.8')), '/login')
    /* A proxy that sends the header, and passes the path nevertheless */
    assert.equal(innerUrl(requestOf('/admin/api/x', '/admin')), '/api/x')
  })
})
