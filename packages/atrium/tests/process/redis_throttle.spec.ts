import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from '@japa/runner'
import BetterSqlite3 from 'better-sqlite3'
import { freePort } from '#tests/helpers/free_port'
import { hashQuickly } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'

const PASSWORD = 'correct horse'
const REDIS_URL = process.env.TEST_REDIS_URL

/** A copy with the user jo that counts in the Redis server at this port. */
async function copyWith(
  cleanup: (callback: () => Promise<void>) => void,
  redis: Record<string, string>
) {
  const copy = await ProjectCopy.create()
  cleanup(() => copy.remove())
  await hashQuickly(copy)
  const settings = { LIMITER_STORE: 'redis', TRUST_PROXY: 'loopback', ...redis }
  const start = () => copy.start(settings)
  const stop = await start()
  const create = `printf '%s' '${PASSWORD}' | ${process.execPath} ace.js admin:create --username=jo --password-stdin`
  const { status, output } = await copy.run('sh', ['-c', create], settings)
  if (status !== 0) throw new Error(output)
  return { copy, start, stop }
}

/** Logs in, with a timeout. */
function signIn(copy: ProjectCopy, password: string, address = '192.0.2.1') {
  return fetch(`${copy.url}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'jo', password }),
    headers: { 'x-forwarded-for': address },
    redirect: 'manual',
    signal: AbortSignal.timeout(30_000),
  })
}

function countsIn(file: string): number {
  const connection = new BetterSqlite3(file, { readonly: true })
  try {
    const sql = 'select count(*) as count from admin_rate_limits'
    return connection.prepare<[], { count: number }>(sql).get()!.count
  } finally {
    connection.close()
  }
}

test.group('Admin | login throttle in Redis', () => {
  test('[B8] while Redis does not respond, logins are refused in bounded time', async ({
    assert,
    cleanup,
  }) => {
    const port = await freePort()
    const { copy, stop } = await copyWith(cleanup, {
      REDIS_PORT: String(port),
      REDIS_PASSWORD: 'the-secret-of-redis',
    })
    const assertRefused = async () => {
      const responses = [PASSWORD, 'wrong'].map(async (password) => {
        const response = await signIn(copy, password)
        assert.equal(response.status, 503)
        assert.equal(response.headers.get('retry-after'), '5')
        assert.isEmpty(response.headers.getSetCookie())
        assert.include(await response.text(), 'Logins are not possible right now.')
      })
      await Promise.all(responses)
    }
    await assertRefused()
    /* First a server that accepts connections and never responds, then one that refuses the
     * password */
    let says = ''
    const sockets: Socket[] = []
    const strange = createServer((socket) => {
      sockets.push(socket)
      socket.on('data', () => socket.write(says)).on('error', () => {})
    }).listen(port, '127.0.0.1')
    cleanup(() => {
      strange.close()
      sockets.forEach((socket) => socket.destroy())
    })
    await once(strange, 'connection')
    await assertRefused()
    says = '-WRONGPASS invalid username-password pair\r\n'
    sockets.forEach((socket) => socket.destroy())
    await once(strange, 'connection')
    await assertRefused()

    const api = await fetch(`${copy.url}/api/openapi.json`)
    assert.equal(api.status, 200)

    /* Its pending output has arrived only now. */
    assert.equal(await stop(), 0)
    assert.include(copy.output, 'Redis can not be used')
    assert.include(copy.output, 'Login refused: it can not be counted')
    assert.notInclude(copy.output, 'the-secret-of-redis')
  }).timeout(180_000)

  test('[B8] failed logins of all processes are counted together in Redis', async ({
    assert,
    cleanup,
  }) => {
    if (!REDIS_URL) throw new Error('TEST_REDIS_URL names no Redis server to test with')
    const { hostname, port, password } = new URL(REDIS_URL)
    const { copy, start, stop } = await copyWith(cleanup, {
      REDIS_HOST: hostname,
      REDIS_PORT: port || '6379',
      REDIS_PASSWORD: decodeURIComponent(password),
    })
    /* Addresses that no other run has used. */
    const network = () =>
      `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
    const [one, other] = [network(), network()]
    const statusOf = async (...of: Parameters<typeof signIn>) => {
      const { status } = await signIn(...of)
      return status
    }

    const begun = Date.now()
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push(await statusOf(copy, 'wrong', one))
    statuses.push(await statusOf(copy, PASSWORD, one))
    for (let i = 0; i < 5; i++) statuses.push(await statusOf(copy, 'wrong', one))
    assert.deepEqual(statuses, [401, 401, 401, 401, 303, 401, 401, 401, 401, 401])

    assert.equal(await stop(), 0)
    const stopAgain = await start()
    const refused = await signIn(copy, PASSWORD, one)
    assert.equal(refused.status, 429)
    const passed = (Date.now() - begun) / 1000
    assert.isAtLeast(Number(refused.headers.get('retry-after')), Math.floor(15 * 60 - passed))
    assert.equal(await statusOf(copy, PASSWORD, other), 303)
    assert.equal(await stopAgain(), 0)
    assert.equal(countsIn(join(copy.folder, 'tmp/db.sqlite3')), 0)
  })
    .skip(!REDIS_URL && !process.env.CI, 'TEST_REDIS_URL names no Redis server')
    .timeout(180_000)
})
