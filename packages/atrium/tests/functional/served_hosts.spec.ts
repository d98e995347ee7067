import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { get } from '#tests/helpers/http'
import { exchange } from '#tests/helpers/raw_http'

const REBOUND = 'rebound.test'

function ask(path: string, ...lines: string[]) {
  return exchange(`GET ${path} HTTP/1.1`, ...lines, 'Connection: close')
}

/* A page at rebound.test whose name now resolves to this machine: to the browser it is the same
 * site. */
test.group('Served hosts', () => {
  test('a request for an unknown host reads and writes nothing', async ({ assert }) => {
    const before = await db.from('attacked_patrons').count('* as rows')
    const body = '{"name":"Rebound"}'
    const created = await exchange(
      'POST /api/attacked-patrons HTTP/1.1',
      `Host: ${REBOUND}:3333`,
      `Origin: http://${REBOUND}:3333`,
      'Sec-Fetch-Site: same-origin',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      '',
      body
    )
    assert.equal(created.status, 421)
    assert.deepEqual(await db.from('attacked_patrons').count('* as rows'), before)

    for (const path of ['/api/attacked-patrons', '/api/openapi.json', '/docs', '/', '/%zz']) {
      const { status, headers, body: problem } = await ask(path, `Host: ${REBOUND}`)
      assert.equal(status, 421, path)
      assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8', path)
      assert.equal(problem.status, 421)
      assert.include(problem.detail, 'APP_HOSTS')
      assert.notInclude(JSON.stringify(problem), REBOUND)
      assert.exists(headers['x-request-id'])
    }
  })

  test('a page of an unknown host is an HTML error page, and a response below the API is a problem', async ({
    assert,
  }) => {
    const accept = 'Accept: text/html,*/*;q=0.8'
    const page = await ask('/admin/login', `Host: ${REBOUND}`, accept)
    assert.equal(page.status, 421)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.include(page.body, 'APP_URL')
    assert.include(
      page.body,
      '<meta name="viewport" content="width=device-width, initial-scale=1">'
    )
    assert.notInclude(page.body, '<form')
    assert.isUndefined(page.headers['set-cookie'])

    const api = await ask('/api/attacked-patrons', `Host: ${REBOUND}`, accept)
    assert.equal(api.status, 421)
    assert.equal(api.headers['content-type'], 'application/problem+json; charset=utf-8')
  })

  test('X-Forwarded-Host of an untrusted client is ignored', async ({ assert }) => {
    const forwarded = ['X-Forwarded-Host: localhost', 'Forwarded: host=localhost']
    const { status } = await ask('/api/attacked-patrons', `Host: ${REBOUND}`, ...forwarded)
    assert.equal(status, 421)
    const ours = await ask('/api/attacked-patrons', 'Host: localhost', 'X-Forwarded-Host: x.test')
    assert.equal(ours.status, 200)
  })

  test('a request with two Host headers is refused if one of the hosts is unknown, in either order', async ({
    assert,
  }) => {
    for (const hosts of [
      ['Host: localhost', `Host: ${REBOUND}`],
      [`host: ${REBOUND}`, 'HOST: localhost'],
    ]) {
      const { status } = await ask('/api/attacked-patrons', ...hosts)
      assert.equal(status, 421, hosts.join(', '))
    }
  })

  test('health probes can use the IP address', async ({ assert }) => {
    for (const path of ['/health/live', '/health/ready']) {
      const { status } = await ask(path, 'Host: 10.1.2.3:3333')
      assert.equal(status, 200, path)
    }
    const { status } = await ask('/healthy', 'Host: 10.1.2.3:3333')
    assert.equal(status, 421)
  })

  test('local host names are served with any port', async ({ assert }) => {
    for (const host of ['localhost:1', '127.0.0.1:5173', '[::1]:3333']) {
      const { status } = await ask('/api/attacked-patrons', `Host: ${host}`)
      assert.equal(status, 200, host)
    }
    const { status } = await get('/api/attacked-patrons')
    assert.equal(status, 200)
  })
})
