import { readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from '@japa/runner'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { SignJWT, UnsecuredJWT, decodeJwt } from 'jose'
import type { AdminUser } from '#admin'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import {
  callRaw,
  cookieIn,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test.group('Admin | attacks on sessions', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  test('[B7, B4] a session id planted before the login is discarded', async ({ assert }) => {
    const planted = 'A'.repeat(43)
    const response = await login('jo', PASSWORD, {
      headers: { cookie: `session_id=${planted}; access_token=x` },
    })
    const { session_id: id, access_token: token } = receivedCookies(response)
    assert.notEqual(id.value, planted)
    assert.isFalse(await isSignedIn(`access_token=${token.value}; session_id=${planted}`))
  })

  test('[B7, B4] the session of an attacker does not become the victim’s', async ({ assert }) => {
    const mallory = await makeUser('mallory', { isSuperuser: false })
    const planted = await cookiesOf(mallory)
    const response = await login('jo', PASSWORD, { headers: { cookie: planted } })
    assert.notInclude(cookiesFrom(response), cookieIn(planted, 'session_id'))
    const page = await get('/admin', { headers: { cookie: cookiesFrom(response) } })
    assert.include(page.text, 'Logged in as jo')
    assert.isFalse(await isSignedIn(planted))
  })

  test('[B5] copied cookies are invalid after the logout', async ({ assert }) => {
    await get('/admin/logout', { headers: { cookie } })
    for (const path of ['/admin', '/admin/dashboard-content', '/admin/logout', '/admin/nothing']) {
      const response = await get(path, { headers: { cookie } })
      assert.equal(response.status, 303, path)
      assert.match(response.headers.get('location')!, /error=ended/)
    }
    const form = await get('/admin/login', { headers: { cookie } })
    assert.equal(form.status, 200)
  })

  test('[B4] forged tokens are refused', async ({ assert }) => {
    const token = cookieIn(cookie, 'access_token')
    const id = cookieIn(cookie, 'session_id')
    const claims = decodeJwt(token)
    const sign = (key: string, more: object = {}, alg = 'HS256') =>
      new SignJWT({ ...claims, ...more })
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(key))
    const [header, payload, signature] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 }))

    for (const [kind, one] of Object.entries({
      unsigned: new UnsecuredJWT(claims).encode(),
      none: `${none}.${payload}.${signature}`,
      noneEmpty: `${none}.${payload}.`,
      noSignature: `${header}.${payload}.`,
      appKey: await sign(process.env.APP_KEY!),
      emptyKey: await sign('\0'.repeat(32)),
      otherAlgorithm: await sign(process.env.APP_KEY!.repeat(2), {}, 'HS512'),
      otherClaims: `${header}.${forged.toString('base64url')}.${signature}`,
      swapped: `${payload}.${header}.${signature}`,
      doubled: `${token}.${token}`,
    })) {
      assert.isFalse(await isSignedIn(`access_token=${one}; session_id=${id}`), kind)
    }
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[B4] cookies of a second user in the same request never authenticate that user', async ({
    assert,
  }) => {
    const mallory = await cookiesOf(await makeUser('mallory'))
    const both = { cookie: `${cookie}; ${mallory}` }
    const response = await get('/admin/Utensil/', { headers: both })
    assert.notInclude(response.text, 'mallory')
    const mixed = `access_token=${cookieIn(cookie, 'access_token')}; ${mallory}`
    assert.isFalse(await isSignedIn(mixed))
  })
})

test.group('Admin | attacks on the login form', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await makeUser('jo')
  })

  test('[B3] a hash is compared whether or not the user exists', async ({ assert, cleanup }) => {
    const verified: string[] = []
    const original = hash.verify
    cleanup(() => {
      hash.verify = original
    })
    hash.verify = (hashed: string, plain: string) => {
      verified.push(plain)
      return original.call(hash, hashed, plain)
    }
    for (const username of ['jo', 'nobody', '', 'x', 'no such name!']) {
      await login(username, `guess at ${username}`)
      assert.deepEqual(verified.splice(0), [`guess at ${username}`])
    }
  })

  test('[B3] repeated, list and object fields are not accepted as name or password', async ({
    assert,
  }) => {
    for (const body of [
      `username[]=jo&password=${PASSWORD}`,
      `username=jo&username=jo&password=${PASSWORD}`,
      `username=jo&password[]=${PASSWORD}`,
      `username=jo&password=${PASSWORD}&password=${PASSWORD}`,
      `username[username]=jo&password=${PASSWORD}`,
      `username=jo&password[$ne]=x`,
      `username[__proto__]=jo&password[toString]=x`,
      `__proto__[username]=jo&__proto__[password]=${PASSWORD}`,
      `constructor[prototype][username]=jo`,
      `username=jo&password=${PASSWORD}&`.repeat(400),
    ]) {
      await db.from('admin_rate_limits').delete()
      const { status, headers } = await sendForm('/admin/login', body)
      assert.equal(status, 401, body.slice(0, 60))
      assert.isEmpty(headers.getSetCookie())
    }
  })

  test('[B3] no value of the next parameter causes an error', async ({ assert }) => {
    for (const next of [
      'next[]=/admin/X/',
      'next=/admin/X/&next=//evil.test',
      'next[a]=//evil.test',
    ]) {
      const { status, headers } = await sendForm(
        '/admin/login',
        `username=jo&password=${PASSWORD}&${next}`
      )
      assert.equal(status, 303)
      assert.equal(headers.get('location'), '/admin', next)
    }
  })

  test("[B3] the next parameter can't inject headers or markup", async ({ assert }) => {
    for (const next of [
      '/admin/\r\nset-cookie: x=y',
      '/admin/%0d%0aset-cookie:%20x=y',
      '/admin/"><script>alert(1)</script>',
    ]) {
      const response = await login('jo', PASSWORD, { next })
      assert.equal(response.status, 303)
      assert.match(response.headers.get('location')!, /^\/admin[\x21-\x7e]*$/)
      const names = Object.keys(receivedCookies(response))
      assert.includeMembers(names, ['access_token', 'session_id'])
      /* A login with a new device also says so on the next page, whose message is a cookie of the session. */
      const others = names.filter((name) => !/^(access_token|session_id|admin_device)$/.test(name))
      assert.isTrue(others.every((name) => /^(admin_flash)$/.test(name)))
      const failed = await login('jo', 'wrong', { next })
      assert.notInclude(failed.text, '<script>alert')
      await db.from('admin_rate_limits').delete()
    }
  })

  test('[B3] a very long next parameter does not produce a very long URL', async ({ assert }) => {
    const next = `/admin/${'x'.repeat(15_000)}`
    const { status, headers } = await login('jo', PASSWORD, { next })
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/admin')
  })

  test('[B3, B8] a login with a name or password of 7 KB, with NUL bytes or with unusual characters fails with a 401', async ({
    assert,
  }) => {
    const long = 'x'.repeat(7 * 1024)
    for (const [username, password] of [
      [long, 'x'],
      ['jo', long],
      [long, long],
      ['jo\0', PASSWORD],
      ['jo', `${PASSWORD}\0`],
      ['\0', '\0'],
      ['jo\u202e', PASSWORD],
      ['😀'.repeat(1000), '😀'],
    ]) {
      const { status, headers } = await login(username, password)
      assert.equal(status, 401, JSON.stringify([username, password]).slice(0, 60))
      assert.isEmpty(headers.getSetCookie())
    }
  })

  test('[B3] bodies other than forms are refused without an internal error', async ({ assert }) => {
    const send = (type: string, body: string | Uint8Array, more: Record<string, string> = {}) =>
      call('POST', '/admin/login', { body, headers: { 'content-type': type, ...more } })
    const expected: Array<[number, string, string, Record<string, string>?]> = [
      [415, 'text/xml', '<username>jo</username>'],
      [415, 'text/plain', `username=jo&password=${PASSWORD}`],
      [415, 'application/octet-stream', '\0\0\0'],
      [415, 'nonsense', 'x'],
      [401, 'application/x-www-form-urlencoded', 'username=%zz&password=%&%=%'],
      [415, 'application/json', '{"username":'],
      [415, 'application/json', '"jo"'],
      [415, 'application/json', '[["username","jo"]]'],
      [415, 'application/json', '{"username":{"$ne":null},"password":["x"]}'],
      [415, 'application/json', '{"username":"\\ud800","password":"\\udfff"}'],
      [415, 'application/json', '{"__proto__":{"username":"jo"}}'],
      [413, 'application/x-www-form-urlencoded', `username=${'x'.repeat(2_000_000)}`],
      [401, 'application/x-www-form-urlencoded; charset=none', 'username=jo'],
      [415, 'application/x-www-form-urlencoded', 'x', { 'content-encoding': 'none' }],
      [400, 'application/x-www-form-urlencoded', 'x', { 'content-encoding': 'gzip' }],
      [400, 'application/x-www-form-urlencoded', 'x', { 'content-encoding': 'deflate' }],
      [400, 'application/x-www-form-urlencoded', '{"name":"x"}', { 'content-encoding': 'br' }],
      [415, 'multipart/form-data', 'x'],
      [415, 'multipart/form-data; boundary=x', '--x--'],
    ]
    for (const [status, type, body, more] of expected) {
      await db.from('admin_rate_limits').delete()
      const { status: actual, headers } = await send(type, body, more)
      assert.equal(actual, status, `${type} ${body.slice(0, 40)}`)
      assert.isEmpty(headers.getSetCookie())
    }
    await db.from('admin_rate_limits').delete()
    const zipped = gzipSync(`username=jo&password=${PASSWORD}`)
    const { status } = await send(FORM['content-type'], zipped, { 'content-encoding': 'gzip' })
    assert.equal(status, 303)
  })

  test('[B3, B8] a login that is not sent as a form gets 415 and does not count as a failed attempt', async ({
    assert,
  }) => {
    const fields = { username: 'jo', password: PASSWORD }
    const form = new URLSearchParams(fields).toString()
    const bodies: Array<[string, string, string]> = [
      ['application/json', JSON.stringify(fields), 'problem'],
      ['application/vnd.api+json', JSON.stringify(fields), 'page'],
      ['text/plain', form, 'page'],
      ['text/plain', JSON.stringify(fields), 'page'],
      ['application/x-www-form-urlencoded-not', form, 'page'],
      ['', form, 'page'],
    ]
    for (const [type, body, kind] of bodies) {
      const response = await call('POST', '/admin/login', {
        body,
        headers: { 'content-type': type },
      })
      assert.equal(response.status, 415, type)
      assert.isEmpty(response.headers.getSetCookie())
      if (kind === 'problem') assert.equal(response.body.status, 415, type)
      else assert.include(response.text, '<body class="door">', type)
    }
    const requested = await call('POST', '/admin/login', {
      body: form,
      headers: { 'content-type': 'text/plain', 'accept': 'application/json' },
    })
    assert.match(requested.headers.get('content-type')!, /^application\/problem\+json/)
    assert.isEmpty(await db.from('admin_rate_limits'))
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('[S25] files of unauthenticated clients are never written to the disk', async ({
    assert,
  }) => {
    const mark = `a file of ${process.pid} at ${Date.now()}`
    const body = `--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n${mark}\r\n--x--\r\n`
    for (const path of ['/admin/login', '/admin/theme', '/admin/Utensil/form_create', '/admin']) {
      const { status } = await call('POST', path, {
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      })
      assert.oneOf(status, [303, 415], path)
    }
    const holdsMark = (name: string) => {
      try {
        const path = join(tmpdir(), name)
        return statSync(path).size === mark.length && readFileSync(path, 'utf8') === mark
      } catch {
        return false
      }
    }
    assert.isEmpty(readdirSync(tmpdir()).filter(holdsMark))
  })

  test('[B3] random bodies of the login never log in and never cause an error', async ({
    assert,
  }) => {
    const text = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 30 }),
      fc.constantFrom('jo', PASSWORD, "' or ''='", '%', '_', '\0', '{{ 7*7 }}', '@if(true)', '$1')
    )
    const type = fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'text/plain',
      ''
    )
    await fc.assert(
      fc.asyncProperty(text, text, text, type, async (username, password, next, contentType) => {
        fc.pre(username.trim() !== 'jo' || password.trim() !== PASSWORD)
        await db.from('admin_rate_limits').delete()
        const fields = { username, password, next }
        const isJson = contentType === 'application/json'
        const { status, headers } = await call('POST', '/admin/login', {
          body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
          headers: { 'content-type': contentType },
        })
        assert.equal(status, contentType.includes('urlencoded') ? 401 : 415)
        assert.isEmpty(headers.getSetCookie())
      }),
      { numRuns: runs(150) }
    )
  })
})

test.group('Admin | attacks by paths', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  test('[B6, S25] a path that resembles the login page grants no access')
    .with([
      '/admin/x/login',
      '/admin/logout/login',
      '/admin/dashboard-content/login',
      '/admin/dashboard-content/../login/../dashboard-content',
      '/admin/login/../',
      '/admin/login/..',
      '/admin/login/../dashboard-content',
      '/admin/login/%2e%2e/dashboard-content',
      '/admin/login/..%2fdashboard-content',
      '/admin/login%2f..%2fdashboard-content',
      '/admin/assets/../dashboard-content',
      '/admin/assets/%2e%2e/dashboard-content',
      '/admin/dashboard-content;/login',
      '/admin/dashboard-content%00/login',
      '/admin/dashboard-content%00.css',
      '/admin/dashboard-content?/login',
      '/admin/dashboard-content?x=/admin/assets/admin.css',
      '/admin/dashboard-content#/login',
      '/admin/dashboard-content/',
      '/admin//dashboard-content',
      '/admin/./dashboard-content',
      '/admin/%64ashboard-content',
      '/admin/Dashboard-Content',
      '/admin/dashboard-content.',
      '/admin/dashboard-content%20',
      '/admin/dashboard-content%2f',
      '/admin\\dashboard-content',
      '/admin/',
      '/admin//',
      '/admin/.',
      '/admin/./',
      '/admin/%2e/',
      '/admin?',
      '/admin?login',
      '/admin/LOGIN',
      '/admin/login//',
      '/admin/login/x',
      '/admin/login.html',
      '/admin/login;x',
      '/admin/login.',
      '/admin/logout/',
      '/admin/%6cogout',
    ])
    .run(async ({ assert }, path) => {
      for (const method of ['GET', 'POST', 'HEAD']) {
        const { status, text, headers } = await callRaw(method, path)
        assert.oneOf(status, [303, 404], `${method} ${path}`)
        assert.isUndefined(headers['set-cookie'])
        assert.notMatch(text, /dashboard-models|id="count-/)
        if (status === 303) assert.match(headers.location as string, /^\/admin\/login\?error=/)
      }
    })

  test('[B6] paths that resemble the mount path are not handled by the site')
    .with([
      '/ADMIN',
      '/Admin/',
      '//admin',
      '/admin%2f',
      '/admin%2fdashboard-content',
      '/%2fadmin',
      '/./admin/../admin',
      '/x/../admin',
      '/admin%00',
      '/admin.',
      '/admin;/',
      '/login',
      '/dashboard-content',
    ])
    .run(async ({ assert }, path) => {
      const { status, text } = await callRaw('GET', path)
      assert.oneOf(status, [303, 404], path)
      assert.notMatch(text, /dashboard-models|id="count-/)
    })

  test('[B6] other HTTP methods do not open the pages of GET routes', async ({ assert }) => {
    const methods = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY']
    for (const method of [...methods, 'POST']) {
      for (const path of [
        '/admin',
        '/admin/dashboard-content',
        '/admin/logout',
        '/admin/Utensil/',
      ]) {
        const { status, headers, text } = await callRaw(method, path)
        assert.equal(status, 303, `${method} ${path}`)
        assert.match(headers.location as string, /^\/admin\/login\?error=required/)
        assert.equal(text, '')
      }
    }
    for (const method of methods.slice(1)) {
      const { status } = await callRaw(method, '/admin/login')
      assert.equal(status, 303, method)
    }
  })

  test('[B6] no request header grants access', async ({ assert }) => {
    for (const headers of [
      { 'x-original-url': '/admin/login' },
      { 'x-rewrite-url': '/admin/login' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-host': 'localhost' },
      { 'x-forwarded-prefix': '/admin/login' },
      { 'x-http-method-override': 'POST' },
      { referer: '/admin/' },
      { authorization: `Basic ${Buffer.from(`jo:${PASSWORD}`).toString('base64')}` },
    ] as Array<Record<string, string>>) {
      const { status, headers: responded } = await callRaw('GET', '/admin', headers)
      assert.equal(status, 303, Object.keys(headers)[0])
      assert.match(responded.location as string, /^\/admin\/login\?/)
    }
  })

  test('[B6, S25] random paths reveal nothing and cause no error', async ({ assert }) => {
    const part = fc.constantFrom(
      ...['admin', 'login', 'logout', 'assets', 'dashboard-content', 'Utensil', 'theme'],
      ...[
        '/',
        '//',
        '.',
        '..',
        '%2f',
        '%2e',
        '%5c',
        '%00',
        ';',
        '?',
        '&',
        '=',
        '%25',
        '%c3%a9',
        ' ',
      ]
    )
    const path = fc
      .array(part, { maxLength: 8 })
      .map((parts) => `/admin/${parts.join('')}`.replaceAll(' ', '%20'))
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom('GET', 'POST', 'DELETE'), async (wanted, method) => {
        const { status, text } = await callRaw(method, wanted)
        assert.isBelow(status, 500, `${method} ${wanted}`)
        assert.notMatch(text, /dashboard-models|id="count-|Logged in as/)
        const { status: signedIn } = await callRaw(method, wanted, { cookie })
        assert.isBelow(signedIn, 500, `${method} ${wanted}`)
      }),
      { numRuns: runs(150) }
    )
  })

  test('[B11] no response contains the hash of a password or a session', async ({ assert }) => {
    const { hashedPassword } = await makeUser('al')
    const { session_id: stored } = await db.from('admin_sessions').firstOrFail()
    const responses = [
      await get('/admin', { headers: { cookie } }),
      await get('/admin/dashboard-content', { headers: { cookie } }),
      await get('/admin/AdminUser/', { headers: { cookie } }),
      await get('/admin/nothing', { headers: { cookie, accept: 'application/json' } }),
      await login('al', 'wrong'),
      await login('al'),
      await get('/api/openapi.json'),
    ]
    for (const { text, headers } of responses) {
      const all = text + JSON.stringify([...headers])
      assert.notInclude(all, hashedPassword)
      assert.notMatch(all, /hashed_?password/i)
      assert.notInclude(text, stored)
    }
  })
})
