import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import {
  callRaw,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  PASSWORD,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { exchange } from '#tests/helpers/raw_http'

const EVIL = 'evil.test'

/** Headers that name the host or the original URL. */
const HOSTS: Array<Record<string, string>> = [
  { 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'https', 'x-forwarded-port': '8443' },
  { 'x-forwarded-server': EVIL, 'x-host': EVIL, 'x-original-host': EVIL },
  {
    'x-forwarded-prefix': `//${EVIL}`,
    'x-original-url': `//${EVIL}/`,
    'x-rewrite-url': `//${EVIL}/`,
  },
  { forwarded: `for=127.0.0.1;host=${EVIL};proto=https` },
  { 'host': 'localhost:1', 'x-forwarded-host': EVIL, 'referer': `https://${EVIL}/x` },
]

/** Hosts that are not served. */
const FOREIGN: Array<Record<string, string>> = [
  { host: EVIL },
  { host: `${EVIL}:8080` },
  { host: `localhost@${EVIL}` },
  { host: `${EVIL}#` },
  { 'host': EVIL, 'x-forwarded-host': 'localhost', 'referer': `https://${EVIL}/x` },
]

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Path traversals for servers, routers and file systems. */
const WAYS_OUT = [
  '../package.json',
  '../../package.json',
  '..%2fpackage.json',
  '..%2f..%2f..%2fpackage.json',
  '%2e%2e%2f%2e%2e%2fpackage.json',
  '%2e%2e/%2e%2e/package.json',
  '..%252fpackage.json',
  '%252e%252e%252f%252e%252e%252fpackage.json',
  '..%25252fpackage.json',
  '..\\package.json',
  '..%5cpackage.json',
  '..%5c..%5cpackage.json',
  '..%255cpackage.json',
  '....//package.json',
  '..;/package.json',
  '.%00./package.json',
  '%00',
  '../package.json%00.css',
  '..%2fpackage.json%00.css',
  '%c0%ae%c0%ae%c0%afpackage.json',
  '%e0%80%ae%e0%80%ae/package.json',
  '%uff0e%uff0e/package.json',
  '%ef%bc%8e%ef%bc%8e%ef%bc%8fpackage.json',
  '%e2%80%a5/package.json',
  '%2fetc%2fpasswd',
  '/etc/passwd',
  '//etc/passwd',
  'file:%2f%2f%2fetc%2fpasswd',
  'C:%5cwindows%5cwin.ini',
  '%5c%5cevil.test%5cshare',
  '.env',
  '..%2f.env',
  '..%2f..%2f.env',
  'x'.repeat(4000),
  '..%2f'.repeat(500) + 'etc%2fpasswd',
]

/** Contents of files that must not be served. */
const OF_FILES = /"dependencies"|root:.*:0:0|APP_KEY|\[fonts\]/

test.group('Attacks | hosts and paths', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('attacked_patrons').delete()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  test('[S31, B3, Q1] no response contains a host that the client chose: {0}')
    .with([...HOSTS, ...FOREIGN].map((headers) => [Object.keys(headers).join(), headers] as const))
    .run(async ({ assert }, [, headers]) => {
      const json = { ...headers, 'content-type': 'application/json' }
      const calls: Array<[string, string, Record<string, string>, string?]> = [
        ['GET', '/', headers],
        ['GET', '/docs', headers],
        ['GET', '/api/openapi.json', headers],
        ['GET', '/api/nothing', headers],
        ['GET', '/nothing', headers],
        ['GET', '/api/attacked-patrons?cursor=&limit=1', headers],
        ['POST', '/api/attacked-patrons', json, '{"name":"Ann"}'],
        ['POST', '/admin/Patron/crud', { ...json, cookie }, '{"name":"Bo"}'],
        ['POST', '/admin/Patron/form_create', { ...headers, ...FORM, cookie }, 'name=Cy'],
        ['GET', '/admin', headers],
        ['GET', '/admin/Patron/', headers],
        ['GET', '/admin/Patron', { ...headers, cookie }],
        ['GET', '/admin', { ...headers, cookie }],
        ['GET', '/admin/login', headers],
        ['GET', '/admin/login', { ...headers, cookie }],
        ['POST', '/admin/login', { ...headers, ...FORM }, `username=jo&password=${PASSWORD}`],
        ['POST', '/admin/theme', { ...headers, ...FORM }, 'theme=dark-theme'],
        ['GET', '/admin/logout', { ...headers, cookie }],
      ]
      const statuses = []
      for (const [method, path, sent, body] of calls) {
        const response = await callRaw(method, path, sent, body)
        statuses.push(response.status)
        const all = JSON.stringify(response.headers) + response.text
        assert.notInclude(all.toLowerCase(), EVIL, `${method} ${path}`)
        const { location } = response.headers
        if (location) assert.match(String(location), /^\/(?![/\\])/, `${method} ${path}`)
        for (const line of response.headers['set-cookie'] ?? []) assert.notMatch(line, /domain/i)
      }
      assert.equal(statuses[6], FOREIGN.includes(headers) ? 421 : 201)
      assert.isTrue(statuses.every((status) => status < 500))
    })

  test('[Q1] the API schema names only the server to which the request was sent', async ({
    assert,
  }) => {
    const { text: usual } = await get('/api/openapi.json')
    for (const headers of HOSTS) {
      const { text } = await callRaw('GET', '/api/openapi.json', headers)
      assert.equal(text, usual)
    }
  })

  test('[B6] a host in the request line causes no redirect to that host', async ({ assert }) => {
    for (const target of [
      `http://${EVIL}/admin`,
      `http://${EVIL}/admin/Patron/`,
      `//${EVIL}/admin`,
    ]) {
      const { status, headers } = await exchange(
        `GET ${target} HTTP/1.1`,
        'Host: localhost',
        'Connection: close'
      )
      assert.equal(status, target.startsWith('//') ? 404 : 421, target)
      assert.notInclude(headers.location ?? '', EVIL)
    }
  })

  test('[B1, Q1, B17] no path below {$self} returns a file from outside its directory')
    .with(['/admin/assets/', '/docs/', '/admin/Patron/files/', '/admin/', '/api/', '/'])
    .run(async ({ assert }, base) => {
      for (const way of WAYS_OUT) {
        const { status, text } = await callRaw('GET', base + way, { cookie })
        assert.oneOf(status, [303, 307, 400, 404], base + way.slice(0, 60))
        assert.notMatch(text, OF_FILES, base + way.slice(0, 60))
      }
    })

  test('[B1] scripts and styles are served only at their own path', async ({ assert }) => {
    const { text } = await get('/admin/login')
    const [, asset] = /href="(\/admin\/assets\/[^"]+\.css)"/.exec(text)!
    const file = asset.slice('/admin/assets/'.length)
    for (const path of [
      `/admin/assets/x/..%2f${file}`,
      `/admin/assets/${file}%00`,
      `/admin/assets/${file}%20`,
      `/admin/assets/${file}.`,
      `/admin/assets/${file.toUpperCase()}`,
      `/admin/assets/.%2f${file}`,
    ]) {
      const { status } = await callRaw('GET', path)
      assert.oneOf(status, [303, 404], path)
    }
    const { status } = await callRaw('GET', asset)
    assert.equal(status, 200)
  })

  test('[A29] headers and cookies that are too large, too many or malformed are refused', async ({
    assert,
  }) => {
    const first = 'GET /admin HTTP/1.1'
    const many = Array.from({ length: 1500 }, (_, index) => `X-${index}: y`)
    for (const lines of [
      [`Cookie: ${'a=b; '.repeat(5000)}`],
      [`Cookie: session_id=${'x'.repeat(20_000)}`],
      [`Cookie: access_token=${'x.'.repeat(10_000)}`],
      [`Authorization: Bearer ${'x'.repeat(20_000)}`],
      [`${'X'.repeat(20_000)}: y`],
      many,
    ]) {
      const { status } = await exchange(first, 'Host: localhost', ...lines)
      assert.equal(status, 431, lines[0].slice(0, 30))
    }
    for (const value of [
      '%',
      '%zz=%zz; %E0%A4%A=x',
      'access_token=s:x.y; session_id=e:x.y',
      'access_token=j:{"a":1}; session_id=j:[1]',
      `${'a=b; '.repeat(2000)}`,
      `session_id=${'x'.repeat(10_000)}; access_token=${'y'.repeat(2000)}`,
      '=; ;; =x; x',
      '\u0080\u00ff=\u00ff',
    ]) {
      const lines = [first, 'Host: localhost', `Cookie: ${value}`, 'Connection: close']
      const { status } = await exchange(...lines)
      assert.equal(status, 303, value.slice(0, 30))
    }
    const { status } = await get('/admin', { headers: { cookie } })
    assert.equal(status, 200)
  })

  test('[A25, A29] TRACE and CONNECT do not return the request', async ({ assert }) => {
    for (const path of ['/api/attacked-patrons', '/docs', '/', '/admin/login']) {
      const { status, text } = await callRaw('TRACE', path, { cookie, 'x-secret': 'a-secret' })
      assert.oneOf(status, [303, 404, 405], path)
      assert.notInclude(text, 'a-secret')
      assert.notInclude(text, 'session_id')
    }
    const { status, body } = await exchange(
      `CONNECT ${EVIL}:80 HTTP/1.1`,
      `Host: ${EVIL}:80`,
      'X-Secret: a-secret'
    ).catch(() => ({ status: 0, body: '' }))
    assert.notInclude([200, 500], status)
    assert.notInclude(JSON.stringify(body), 'a-secret')
    assert.equal(await get('/health/live').then((response) => response.status), 200)
  })
})
