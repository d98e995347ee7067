import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { hashQuickly, removeDemo, writeNote } from '#tests/helpers/notes_project'
import { EMAIL, PASSWORD, writePosts } from '#tests/helpers/posts_project'
import { ProjectCopy } from '#tests/helpers/project_copy'
import { NETWORK, reachesRegistry } from '#tests/helpers/registry'
import { Visitor } from '#tests/helpers/visitor'

/** Added by their own command: `node ace add` installs and configures them. */
const ADDED = ['bouncer', 'shield', 'cors', 'mail', 'transmit', 'otel', 'static', 'vite', 'inertia']

/** `@tuyau/core` has no command that configures it. `vite` would be a question of the command of `@adonisjs/vite`. */
const INSTALLED = ['@tuyau/core', 'vite']

const RESPONSES = ['--transports=smtp', '--no-install']

/** A collector of OpenTelemetry, which responds to everything */
async function startCollector() {
  const paths = new Set<string>()
  const server = createServer((request, response) => {
    paths.add(request.url!)
    request.resume().once('end', () => response.end('{}'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    paths,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    close: () => void server.close(),
  }
}

/** The application's form, with its validator, its flash message and its protection against forgery */
async function checkForm(assert: Assert, visitor: Visitor) {
  const token = await visitor.tokenOf('/posts/create')
  const forged = await visitor.post('/posts', { title: 'Forged' })
  assert.equal(forged.status, 302)
  const afterForgery = await visitor.get('/posts/create')
  assert.notInclude(afterForgery.text, 'was stored')

  const short = await visitor.post('/posts', { title: 'ab', _csrf: token })
  assert.equal(short.status, 302)
  const withError = await visitor.get('/posts/create')
  assert.include(withError.text, 'value="ab"')
  assert.match(withError.text, /class="error">.*at least 3 characters/)
  assert.equal(withError.headers.get('x-frame-options'), 'DENY')

  const stored = await visitor.post('/posts', { title: 'On rain', _csrf: token })
  assert.equal(stored.headers.get('location'), '/posts/create')
  const after = await visitor.get('/posts/create')
  assert.include(after.text, 'class="success">On rain was stored')
  return token
}

/** The application's guard, and its policy */
async function checkLogin(assert: Assert, visitor: Visitor, token: string) {
  const anonymous = await visitor.get('/posts/edit')
  assert.equal(anonymous.headers.get('location'), '/login')
  await visitor.post('/login', { email: EMAIL, password: PASSWORD, _csrf: token })
  const json = { accept: 'application/json' }
  const edit = await visitor.get('/posts/edit', json)
  assert.deepEqual([edit.status, edit.text], [200, JSON.stringify({ email: EMAIL })])
  const renewed = await visitor.tokenOf('/posts/create')
  const forbidden = await visitor.post('/posts/delete', { _csrf: renewed }, json)
  assert.equal(forbidden.status, 403)
}

/** Inertia, Vite, static files, CORS and server-sent events */
async function checkPackages(assert: Assert, visitor: Visitor, url: string) {
  const page = await visitor.get('/about')
  assert.match(page.text, /"component":"about".*"name":"Inertia"/)
  const { version } = JSON.parse(/<script[^>]*>(.*?)<\/script>/s.exec(page.text)![1])
  const visit = await visitor.get('/about', { 'x-inertia': 'true', 'x-inertia-version': version })
  assert.include(JSON.parse(visit.text), { component: 'about' })

  const { text: form } = await visitor.get('/posts/create')
  for (const [, path] of form.matchAll(/<script[^>]* src="([^"]+)"/g)) {
    const script = await visitor.get(path)
    assert.equal(script.status, 200, path)
    assert.match(script.headers.get('content-type')!, /javascript/)
  }
  assert.match(form, /<script[^>]* src=/)

  const hello = await visitor.get('/hello.txt')
  assert.equal(hello.text, 'hello')

  const preflight = await fetch(`${url}/posts`, {
    method: 'OPTIONS',
    headers: { 'origin': url, 'access-control-request-method': 'POST' },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), url)
  const login = await fetch(`${url}/admin/login`, { headers: { origin: url } })
  assert.isNull(login.headers.get('access-control-allow-origin'))

  const stream = new AbortController()
  const events = await fetch(`${url}/__transmit/events?uid=1`, { signal: stream.signal })
  assert.match(events.headers.get('content-type')!, /^text\/event-stream/)
  stream.abort()
}

/** The engine's pages and endpoints require no token of a form, and open no session. */
async function checkEngine(assert: Assert, url: string, token: string) {
  for (const path of ['/', '/admin/login', '/health/ready']) {
    const page = await fetch(url + path)
    assert.equal(page.status, 200, path)
  }
  const write = (headers: Record<string, string>) =>
    fetch(`${url}/api/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ text: 'a note' }),
    })
  const anonymous = await write({})
  assert.equal(anonymous.status, 401)
  const note = await write({ authorization: `Bearer ${token}` })
  assert.equal(note.status, 201)
  assert.deepEqual(note.headers.getSetCookie(), [])
  const login = await new Visitor(url).post('/admin/login', { username: 'x', password: 'y' })
  assert.equal(login.status, 401)
  assert.deepEqual(login.cookies, [])
}

test.group('AdonisJS packages', (group) => {
  let copy: ProjectCopy

  group.each.timeout(1_200_000)
  group.each.setup(async () => {
    copy = await ProjectCopy.create({ withPackages: true })
    return () => copy.remove()
  })

  async function run(command: string, args: string[], environment = {}) {
    const { status, output } = await copy.run(command, args, { ...NETWORK, ...environment })
    if (status !== 0) throw new Error(`${args.join(' ')}:\n${output}`)
    return output
  }

  const ace = (...args: string[]) => run(process.execPath, ['ace.js', ...args])

  async function checkAll(assert: Assert, token: string) {
    const visitor = new Visitor(copy.url)
    const csrf = await checkForm(assert, visitor)
    await checkLogin(assert, visitor, csrf)
    await checkPackages(assert, visitor, copy.url)
    await checkEngine(assert, copy.url, token)
  }

  test('[P12.12, P12.13, P12.15] AdonisJS packages can be added by their own commands next to the engine, also in a build', async ({
    assert,
    cleanup,
  }) => {
    await removeDemo(copy)
    await writeNote(copy, "{ access: 'token' }")
    await hashQuickly(copy)
    await run('npm', ['install', ...INSTALLED])
    await ace('add', ...ADDED.map((name) => `@adonisjs/${name}`), ...RESPONSES)
    await writePosts(copy)
    await ace('migrate')
    await ace('seed:user')
    await run('sh', [
      '-c',
      'echo correct-horse-staple-9 | node ace.js admin:create --username=ci --password-stdin',
    ])
    const { token } = JSON.parse(await ace('admin:token', 'ci', '--name=ci', '--json'))

    const collector = await startCollector()
    cleanup(collector.close)
    const stop = await copy.start(collector.environment)
    await Promise.all([checkAll(assert, token), run('npm', ['run', 'typecheck'])])
    assert.equal(await stop(), 0, copy.output)
    assert.include([...collector.paths], '/v1/traces')
    await ace('codegen')
    const registry = await readFile(join(copy.folder, '.adonisjs/client/registry/index.ts'), 'utf8')
    assert.include(registry, "'posts.store'")

    await run('npm', ['run', 'build'])
    const production = {
      ...collector.environment,
      NODE_ENV: 'production',
      ENV_PATH: copy.folder,
      DB_DATABASE: join(copy.folder, 'tmp/db.sqlite3'),
    }
    const stopBuild = await copy.start(production, 'build/bin/server.js')
    await checkAll(assert, token)
    assert.equal(await stopBuild(), 0, copy.output)
  }).skip(() => !process.env.CI && !reachesRegistry(), 'the npm registry cannot be reached')
})
