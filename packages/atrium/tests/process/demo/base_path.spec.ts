import { join } from 'node:path'
import { request } from 'node:https'
import { test } from '@japa/runner'
import { HAS_NGINX, startNginx, type Nginx } from '#tests/helpers/nginx'
import { hashQuickly } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const HOST = 'tools.example.com'
const ORIGIN = `https://${HOST}`
const BASE = '/atrium'
const TOKEN_PAGES = [`${BASE}/docs`, `${BASE}/api/openapi.json`]
const PASSWORD = 'correct horse'

const ENVIRONMENT = {
  /* With the demo's records, which production does not have */
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  APP_URL: ORIGIN + BASE,
  APP_KEY: 'of-this-run-alone-0123456789abcdef0',
  TRUST_PROXY: 'loopback',
  LOG_LEVEL: 'warn',
  DB_CONNECTION: 'sqlite',
  DB_DATABASE: 'tmp/base.sqlite3',
}

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** A browser without scripts, for one of the two ports. Its cookies apply to their paths only. */
class Client {
  readonly #cookies = new Map<string, { value: string; path: string }>()

  constructor(private readonly port: number) {}

  async call(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
    const cookies = [...this.#cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number
      headers: NodeJS.Dict<string | string[]>
      text: string
    }>()
    const sent = {
      host: HOST,
      accept: 'text/html,*/*;q=0.8',
      cookie: cookies.join('; '),
      ...headers,
    }
    const options = { port: this.port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }
    const call = request({ ...options, path, method, headers: sent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text })
      )
    })
    call.on('error', reject).end(body)
    const response = await promise
    for (const line of [response.headers['set-cookie'] ?? []].flat()) this.#store(line)
    return response
  }

  async post(path: string, fields: Record<string, string>) {
    return await this.call(path, {
      method: 'POST',
      headers: { 'origin': ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  }

  get cookiePaths(): string[] {
    return [...this.#cookies.values()].map(({ path }) => path)
  }

  #store(line: string) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/'
    this.#cookies.set(name, { value, path })
  }
}

/**
 * Returns the values of attributes that are a path or a URL of this host, and the addresses in a stylesheet.
 *
 * @param names  pattern of the attributes' names
 */
function addressesIn(text: string, names: string): string[] {
  const attributes = new RegExp(`\\s(?:${names})="([^"]*)"|url\\(["']?([^"')]*)`, 'g')
  return [...text.matchAll(attributes)]
    .map(([, value, url]) => (value ?? url).replaceAll('&amp;', '&').replaceAll('&#x3D;', '='))
    .map((value) => (value.startsWith(`${ORIGIN}/`) ? value.slice(ORIGIN.length) : value))
    .filter((value) => /^\/(?!\/)/.test(value))
}

const isBelow = (address: string) => /^\/atrium(?:[/?#]|$)/.test(address)

test.group('Base path', (group) => {
  let copy: ProjectCopy
  let nginx: Nginx
  let stop: () => Promise<number | null>
  let token: string

  /* In CI the program must be there: the test fails without it. */
  group.tap((one) => one.skip(!HAS_NGINX && !process.env.CI, 'nginx is not installed'))
  group.each.timeout(120_000)

  group.setup(async () => {
    if (!HAS_NGINX && !process.env.CI) return async () => {}
    copy = await ProjectCopy.create()
    await hashQuickly(copy)
    stop = await copy.start(ENVIRONMENT)
    const ace = async (command: string) => {
      const { status, output } = await copy.run('sh', ['-c', command], ENVIRONMENT)
      if (status !== 0) throw new Error(output)
      return output
    }
    await ace(
      `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
    )
    token = JSON.parse(
      await ace(`${process.execPath} ace.js admin:token jo --name=ci --json`)
    ).token
    nginx = await startNginx(join(copy.folder, 'tmp/nginx'), {
      upstream: copy.port,
      prefix: BASE,
      host: HOST,
    })
    return async () => {
      await nginx.stop()
      await stop()
      await copy.remove()
    }
  })

  for (const kind of ['stripping', 'passing'] as const) {
    test(`[W2] every address of the site is below the path of APP_URL, behind a ${kind} proxy`, async ({
      assert,
    }) => {
      const client = new Client(nginx[kind])
      const outside: string[] = []
      const broken: string[] = []
      const note = (from: string, addresses: readonly string[]) => {
        for (const address of addresses) {
          if (!isBelow(address)) outside.push(`${from}: ${address}`)
        }
      }

      const refused = await client.call(`${BASE}/admin/`)
      const { searchParams, pathname } = new URL(String(refused.headers.location), ORIGIN)
      assert.equal(pathname, `${BASE}/admin/login`)
      assert.equal(searchParams.get('next'), `${BASE}/admin/`)
      const login = await client.post(`${BASE}/admin/login`, {
        username: 'jo',
        password: PASSWORD,
        next: `${BASE}/admin/Film/`,
      })
      assert.equal(login.status, 303)
      assert.equal(login.headers.location, `${BASE}/admin/Film/`)
      assert.isNotEmpty(client.cookiePaths)
      note('cookies', client.cookiePaths)

      const seen = new Set<string>()
      const models = new Map<string, number>()
      const queue = [`${BASE}/`, `${BASE}/admin/`, `${BASE}/admin/account`, `${BASE}/docs`]
      while (queue.length > 0 && seen.size < 200) {
        const path = queue.shift()!
        if (seen.has(path)) continue
        seen.add(path)
        const { status, headers, text } = await client.call(path)
        /* The API and its page ask for a token. */
        const isFound = status < 400 || (status === 401 && TOKEN_PAGES.includes(path))
        if (!isFound) broken.push(`${path}: ${status}`)
        note(path, [headers.location ?? []].flat())
        const isPage = /html|css/.test(String(headers['content-type']))
        if (!isPage) continue
        note(path, addressesIn(text, '[\\w:-]+'))
        for (const address of addressesIn(text, 'href|src|hx-get')) {
          const [plain] = address.split('#', 1)
          if (!isBelow(plain) || isAction(plain)) continue
          /* Few pages of each kind: lists have as many links as records. */
          const pattern = plain.replace(/\?.*/s, '?').replace(/\/\d+(?=\/|\?|$)/g, '/N')
          const times = models.get(pattern) ?? 0
          models.set(pattern, times + 1)
          if (times < 1) queue.push(plain)
        }
      }
      assert.deepEqual(outside, [])
      assert.deepEqual(broken, [])
      assert.isAbove(seen.size, 60)
      assert.isTrue([...seen].some((path) => path.includes('/admin/Film/update/')))
      assert.isTrue([...seen].some((path) => path.endsWith('.css')))
    })

    test(`[W2] the API and its schema are below the path of APP_URL, behind a ${kind} proxy`, async ({
      assert,
    }) => {
      const client = new Client(nginx[kind])
      const headers = { authorization: `Bearer ${token}`, accept: '*/*' }
      const json = { ...headers, 'content-type': 'application/json' }
      const made = await client.call(`${BASE}/api/products`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ name: 'Kite', description: 'flies', category: 'toys', price: 5 }),
      })
      assert.equal(made.status, 201, made.text)
      const { id } = JSON.parse(made.text)
      assert.equal(made.headers.location, `${BASE}/api/products/${id}`)
      const read = await client.call(String(made.headers.location), { headers })
      assert.equal(read.status, 200)
      const document = await client.call(`${BASE}/api/openapi.json`, { headers })
      const { paths, servers } = JSON.parse(document.text)
      assert.deepEqual(servers, [{ url: BASE }])
      assert.property(paths, '/api/products/{id}')
      const missing = await client.call(`${BASE}/api/nothing`, { headers })
      assert.equal(missing.status, 404)
      const wrong = await client.call(`${BASE}/api/products`, { method: 'PUT', headers })
      assert.equal(wrong.status, 405)
      const live = await client.call(`${BASE}/health/live`, { headers })
      assert.equal(live.status, 200)
    })
  }

  test('[W2] X-Forwarded-Prefix is ignored if it has a host or markup, or comes from an untrusted client', async ({
    assert,
  }) => {
    for (const prefix of [
      '//evil.example',
      'https://evil.example/x',
      '/"><script>',
      '/../x',
      '/x',
    ]) {
      const response = await fetch(`http://127.0.0.1:${copy.port}/admin/login`, {
        headers: { 'accept': 'text/html', 'x-forwarded-prefix': prefix, 'x-forwarded-host': HOST },
      })
      const text = await response.text()
      assert.equal(response.status, 200)
      assert.include(text, `action="${BASE}/admin/login"`)
      assert.notInclude(text, 'evil')
      assert.notInclude(text, '<script>')
    }
  })

  test('[W2] links in mails and those printed by commands begin with the path', async ({
    assert,
  }) => {
    const invite = ['ace.js', 'admin:invite', 'jo']
    const { output } = await copy.run(process.execPath, invite, ENVIRONMENT)
    assert.include(output, `${ORIGIN}${BASE}/admin/invitation/`)
  })
})

/** True for an address that is not to be opened by a link: it ends the session, or downloads. */
function isAction(address: string): boolean {
  return /\/(?:logout|download|export)(?:[/?]|$)/.test(address)
}
