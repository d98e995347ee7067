import { test } from '@japa/runner'
import { callRaw, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { engineRouter } from '#base/http/engine_router'
import { call, get, post } from '#tests/helpers/http'
import { someOf } from '#tests/helpers/random_runs'

/**
 * Public routes: login, passkeys (passkeys.spec.ts), single sign-on (sso.spec.ts), assets, the theme switch, and links to
 * choose a password (invitations.spec.ts).
 */
const OPEN = [
  'GET /admin/assets/:file',
  'GET /admin/invitation/:token',
  'POST /admin/invitation/:token',
  'GET /admin/login',
  'POST /admin/login',
  'POST /admin/login/passkey',
  'POST /admin/login/passkey/options',
  'POST /admin/login/second/options',
  'GET /admin/login/sso',
  'GET /admin/login/sso/callback',
  'POST /admin/theme',
]

/** Every route below the mount, as registered. */
function adminRoutes(): Array<{ method: string; pattern: string }> {
  return Object.values(engineRouter().toJSON())
    .flat()
    .filter(({ pattern }) => pattern === '/admin' || pattern.startsWith('/admin/'))
    .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
}

/* Maximum number of concurrent requests. */
const TOGETHER = 16

test.group('Admin | anonymous requests', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[S25, B6] without a login only public routes are reachable', async ({ assert }) => {
    const routes = adminRoutes().filter(
      ({ method, pattern }) => !OPEN.includes(`${method.replace('HEAD', 'GET')} ${pattern}`)
    )
    assert.isAtLeast(routes.length, 6)
    const knock = async ({ method, pattern }: (typeof routes)[number]) => {
      const path = pattern.replace(/:\w+\??|\*/g, '1')
      const page = await callRaw(method, path)
      /* Endpoints, whose clients are programs */
      if (/^\/admin\/(?:\w+\/crud|mcp)\b/.test(path)) {
        assert.equal(page.status, 401, `${method} ${path}`)
        return
      }
      assert.equal(page.status, 303, `${method} ${path}`)
      assert.match(page.headers.location as string, /^\/admin\/login\?error=required/)
      assert.equal(page.text, '')
    }
    const some = someOf(routes, 11)
    for (let i = 0; i < some.length; i += TOGETHER) {
      await Promise.all(some.slice(i, i + TOGETHER).map(knock))
    }
  }).timeout(120_000)

  test('[S25, B6] anonymous requests get the same response for existing and missing models', async ({
    assert,
  }) => {
    const forged = { 'sec-fetch-site': 'cross-site', 'origin': 'http://other.test' }
    const withoutScript = { accept: 'text/html' }
    const withScript = { 'hx-request': 'true' }
    const requests = ['GET ', 'POST ', 'POST /export', 'POST /form_create', 'POST /form_update/1']
    const programs = ['POST /crud', 'DELETE /crud/1', 'PUT /crud']
    for (const one of [...requests, ...programs]) {
      const [method, path] = one.split(' ')
      for (const headers of [forged, withoutScript, withScript]) {
        const [there, missing] = await Promise.all(
          ['Utensil', 'Nothing'].map((name) => callRaw(method, `/admin/${name}${path}`, headers))
        )
        const what = `${one} ${Object.keys(headers)}`
        assert.equal(there.status, missing.status, what)
        assert.equal(there.text, missing.text.replaceAll('Nothing', 'Utensil'), what)
        for (const name of ['location', 'hx-redirect', 'allow']) {
          const value = String(missing.headers[name]).replace('Nothing', 'Utensil')
          assert.equal(String(there.headers[name]), value, what)
        }
      }
    }
  })

  test('[S25] a request with invalid cookies is treated as anonymous', async ({ assert }) => {
    for (const cookie of [
      'access_token=; session_id=',
      'access_token=a.b.c; session_id=x',
      'access_token=null; session_id=null',
      'access_token=%00; session_id=%00',
      'access_token[]=x; session_id[]=x',
      'access_token="a"; session_id="b"',
      '__proto__=x; access_token',
      `access_token=${'x'.repeat(8000)}; session_id=y`,
    ]) {
      for (const path of ['/admin', '/admin/dashboard-content', '/admin/logout', '/admin/x']) {
        const { status, headers } = await get(path, { headers: { cookie } })
        assert.equal(status, 303, `${cookie.slice(0, 50)} ${path}`)
        assert.match(headers.get('location')!, /^\/admin\/login\?error=(required|ended)/)
      }
    }
  })

  test(
    '[B6] an anonymous request for a page redirects to the login page, with the page as return path'
  )
    .with([
      ['/admin', '/admin'],
      ['/admin/', '/admin/'],
      ['/admin/dashboard-content', '/admin/dashboard-content'],
      ['/admin/Utensil/?page=2&sort_by=name', '/admin/Utensil/?page=2&sort_by=name'],
      ['/admin/Utensil/?q=a%20b%26c', '/admin/Utensil/?q=a%20b%26c'],
      ['/admin/Country/update/a%20b%3Fc', '/admin/Country/update/a%20b%3Fc'],
    ])
    .run(async ({ assert }, [path, next]) => {
      const { status, headers, text } = await get(path)
      assert.equal(status, 303)
      assert.equal(text, '')
      const { pathname, searchParams } = new URL(headers.get('location')!, 'http://atrium.test')
      assert.equal(pathname, '/admin/login')
      assert.deepEqual(Object.fromEntries(searchParams), { error: 'required', next })
    })

  test('[B6] only paths of GET requests are used as return paths', async ({ assert }) => {
    for (const method of ['POST', 'DELETE', 'HEAD', 'PUT']) {
      const { headers } = await callRaw(method, '/admin/Utensil/form_create')
      assert.equal(headers.location, '/admin/login?error=required')
    }
  })

  test('[B6] a user whose session has ended sees that reason at the login', async ({ assert }) => {
    const { headers } = await get('/admin', { headers: { cookie: 'session_id=gone' } })
    assert.equal(headers.get('location'), '/admin/login?error=ended&next=%2Fadmin')
  })

  test('[B6] htmx is redirected to the login page, with the current page as return path', async ({
    assert,
  }) => {
    const response = await get('/admin/dashboard-content', {
      headers: {
        'hx-request': 'true',
        'hx-current-url': 'http://atrium.test/admin/Utensil/?page=2',
      },
    })
    assert.equal(response.status, 401)
    assert.isNull(response.headers.get('location'))
    assert.equal(response.text, '')
    assert.equal(
      response.headers.get('hx-redirect'),
      '/admin/login?error=required&next=%2Fadmin%2FUtensil%2F%3Fpage%3D2'
    )
  })

  test('[B6] no value of hx-current-url redirects to another site or breaks the response', async ({
    assert,
  }) => {
    for (const url of [
      'http://evil.test//evil.test/admin',
      'http://evil.test/',
      'javascript:alert(1)',
      '//evil.test',
      'x',
    ]) {
      const { status, headers } = await get('/admin', {
        headers: { 'hx-request': 'true', 'hx-current-url': url },
      })
      assert.equal(status, 401)
      assert.equal(headers.get('hx-redirect'), '/admin/login?error=required', url)
    }
    const without = await get('/admin', { headers: { 'hx-request': 'true' } })
    assert.equal(without.headers.get('hx-redirect'), '/admin/login?error=required')
  })

  test('[B6] an anonymous API client gets a 401 problem', async ({ assert }) => {
    const responses = [
      await get('/admin', { headers: { accept: 'application/json' } }),
      await get('/admin/nothing', { headers: { accept: 'application/json' } }),
      await post('/admin/Utensil/nothing', { name: 'x' }),
      await call('DELETE', '/admin/Utensil/bulk-delete', { json: { ids: [1] } }),
    ]
    for (const { status, headers, body } of responses) {
      assert.equal(status, 401)
      assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
      assert.deepEqual(body, {
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        detail: 'Log in first.',
      })
      assert.isNull(headers.get('location'))
    }
  })

  test('[B6] an unknown path redirects to the login first, with any method', async ({ assert }) => {
    for (const path of ['/admin/nothing', '/admin/Utensil/nothing', '/admin/a/b/c/d/e?x=1']) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const { status, headers } = await callRaw(method, path)
        assert.equal(status, 303, `${method} ${path}`)
        assert.match(headers.location as string, /^\/admin\/login\?error=required/)
      }
    }
    const cookie = await cookiesOf(await makeUser('jo'))
    const { status } = await get('/admin/nothing', { headers: { cookie } })
    assert.equal(status, 404)
  })

  test('[B6] paths outside the site require no login', async ({ assert }) => {
    for (const [path, status] of [
      ['/', 200],
      ['/api/utensils', 200],
      ['/api/nothing', 404],
      ['/docs/nothing', 404],
      ['/health/nothing', 404],
      ['/administrator', 404],
      ['/admin.', 404],
      ['/nothing', 404],
    ] as const) {
      const response = await get(path)
      assert.equal(response.status, status, path)
    }
  })

  test('[B6] a response to invalid cookies clears them', async ({ assert }) => {
    const { headers } = await get('/admin', { headers: { cookie: 'access_token=x; session_id=y' } })
    const names = headers.getSetCookie().map((line) => line.split('=')[0])
    assert.sameMembers(names, ['access_token', 'session_id'])
  })

  test('[B6, B9] a response does not clear cookies that the request did not send', async ({
    assert,
  }) => {
    /* A cross-site form is sent without cookies, which its response must not clear. */
    for (const [method, path] of [
      ['POST', '/admin/nothing'],
      ['GET', '/admin'],
    ]) {
      const { headers } = await call(method, path)
      assert.isEmpty(headers.getSetCookie(), `${method} ${path}`)
    }
  })

  test('[B6, B1] assets are public, and no other file is', async ({ assert }) => {
    const { text } = await get('/admin/login')
    const paths = [...text.matchAll(/(?:href|src)="(\/admin\/assets\/[^"]+)"/g)].map(
      ([, path]) => path
    )
    assert.lengthOf(paths, 6)
    for (const path of paths) {
      const { status } = await get(path)
      assert.equal(status, 200, path)
    }
    for (const file of [
      'x',
      'admin.css',
      '..%2fadmin.css',
      '%2e%2e%2f%2e%2e%2f.env',
      '__proto__',
    ]) {
      const { status } = await callRaw('GET', `/admin/assets/${file}`)
      assert.equal(status, 404, file)
    }
  })
})
