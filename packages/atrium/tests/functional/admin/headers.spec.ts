import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
} from '#tests/helpers/admin'
import { call, get, type HttpResponse } from '#tests/helpers/http'

test.group('Admin | headers', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  /** One response of every kind that the site sends. */
  async function responses(): Promise<Record<string, HttpResponse>> {
    const signedIn = { headers: { cookie } }
    const json = { headers: { accept: 'application/json' } }
    const kinds: Record<string, HttpResponse> = {
      login: await get('/admin/login'),
      wrong: await login('jo', 'wrong'),
      redirect: await get('/admin'),
      htmx: await get('/admin', { headers: { 'hx-request': 'true' } }),
      problem: await get('/admin', json),
      dashboard: await get('/admin', signedIn),
      partial: await get('/admin/dashboard-content', signedIn),
      missing: await get('/admin/nothing', signedIn),
      missingUnknown: await get('/admin/nothing'),
      missingAsset: await get('/admin/assets/nothing'),
      forbidden: await call('POST', '/admin/theme', { headers: { origin: 'null' } }),
      malformed: await call('POST', '/admin/login', {
        body: 'x',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-encoding': 'gzip',
        },
      }),
      unsupported: await call('POST', '/admin/login', {
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      }),
      askedToLeave: await get('/admin/logout', {
        headers: { cookie, 'sec-fetch-site': 'cross-site' },
      }),
      theme: await call('POST', '/admin/theme'),
      success: await login('jo'),
    }
    for (let i = 0; i < 6; i++) kinds.throttled = await login('al', 'wrong')
    kinds.logout = await get('/admin/logout', signedIn)
    return kinds
  }

  test('[B10] every response of the site has the security headers, errors included', async ({
    assert,
  }) => {
    const kinds = await responses()
    assert.equal(kinds.throttled.status, 429)
    assert.equal(kinds.malformed.status, 400)
    assert.equal(kinds.unsupported.status, 415)
    for (const [kind, { headers }] of Object.entries(kinds)) {
      assert.equal(headers.get('x-content-type-options'), 'nosniff', kind)
      assert.equal(headers.get('referrer-policy'), 'same-origin', kind)
      assert.equal(headers.get('cache-control'), 'no-store', kind)
      assert.include(headers.get('content-security-policy'), "frame-ancestors 'none'", kind)
    }
  })

  test('[B10] the response to a malformed path has the security headers too, and shows no details', async ({
    assert,
  }) => {
    for (const path of [
      '/admin/%zz',
      '/admin/%',
      '/admin/%e0%a4%a?x=1',
      'http://localhost/admin/%zz',
    ]) {
      const unknown = await callRaw('GET', path)
      const signedIn = await callRaw('GET', path, { cookie })
      assert.equal(unknown.status, 400, path)
      assert.equal(unknown.headers['x-content-type-options'], 'nosniff', path)
      assert.equal(unknown.headers['referrer-policy'], 'same-origin', path)
      assert.equal(unknown.headers['cache-control'], 'no-store', path)
      assert.include(unknown.headers['content-security-policy'], "frame-ancestors 'none'", path)
      assert.deepEqual([signedIn.status, signedIn.text], [unknown.status, unknown.text])
      assert.isUndefined(unknown.headers['set-cookie'])
    }
    for (const path of ['/api/%zz', '/%zz', '/administrator/%zz']) {
      const { headers } = await callRaw('GET', path)
      assert.isUndefined(headers['referrer-policy'], path)
    }
  })

  test('[B10] the content security policy allows nothing external and nothing inline', async ({
    assert,
  }) => {
    const { headers } = await get('/admin/login')
    const policy = headers.get('content-security-policy')!
    const directives = new Map(
      policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)])
    )
    assert.notMatch(policy, /unsafe-(inline|eval|hashes)|http|\*|blob:|nonce/)
    for (const name of ['default-src', 'script-src', 'style-src', 'form-action']) {
      assert.deepEqual(directives.get(name), ["'self'"], name)
    }
    for (const name of ['object-src', 'base-uri', 'frame-ancestors']) {
      assert.deepEqual(directives.get(name), ["'none'"], name)
    }
  })

  test('[B10] no page has inline code or styles that the content security policy would block', async ({
    assert,
  }) => {
    for (const [kind, { text }] of Object.entries(await responses())) {
      assert.notMatch(text, /<style|<script(?![^>]* src=)|javascript:/i, kind)
      assert.notMatch(text, /<[^>]*\s(style|on\w+)\s*=/i, kind)
      assert.notMatch(text, /(?:src|href|action)="(?!\/admin|#)/, kind)
    }
  })

  test('[B10] assets are cacheable, and pages are not', async ({ assert }) => {
    const { text } = await get('/admin/login')
    const [, path] = /href="(\/admin\/assets\/[^"]+\.css)"/.exec(text)!
    const { headers } = await get(path)
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })
})
