import { gzipSync } from 'node:zlib'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import config from '../../../../../config/admin.js'
import {
  adminSite,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  PASSWORD,
} from '#tests/helpers/admin'
import { captureLog, WARN_LEVEL } from '#tests/helpers/captured_log'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { exchange } from '#tests/helpers/raw_http'

async function fail(times: number, username = 'jo') {
  const statuses = []
  for (let i = 0; i < times; i++) {
    const { status } = await login(username, 'wrong')
    statuses.push(status)
  }
  return statuses
}

test.group('Admin | guessing passwords', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await makeUser('jo')
    await makeUser('al')
  })

  test('[B8] the sixth attempt to log in is refused and shows the time to wait', async ({
    assert,
  }) => {
    assert.deepEqual(await fail(5), [401, 401, 401, 401, 401])
    const { status, headers, text } = await login('jo', 'wrong')
    assert.equal(status, 429)
    const seconds = Number(headers.get('retry-after'))
    assert.isAbove(seconds, 15 * 60 - 20)
    assert.isAtMost(seconds, 15 * 60)
    assert.include(text, 'Too many attempts. Try again in 15 minutes.')
    assert.include(text, 'value="jo"')
  })

  test('[B8] the right password is refused as well until the waiting time is over', async ({
    assert,
  }) => {
    await fail(5)
    const { status, headers } = await login('jo')
    assert.equal(status, 429)
    assert.isEmpty(headers.getSetCookie())
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('[B8] attempts to log in from another address are not affected', async ({ assert }) => {
    await fail(6)
    const address = /(::1|0:0:0:0|(::ffff:)?127\.0\.0\.1)$/
    const keys = await db.from('admin_rate_limits').where('key', 'like', '%:login:%')
    assert.lengthOf(keys, 1)
    assert.match(keys[0].key, address)
    await db
      .from('admin_rate_limits')
      .where('key', keys[0].key)
      .update({ key: keys[0].key.replace(address, '192.0.2.1') })
    const { status } = await login('jo')
    assert.equal(status, 303)
  })

  test('[B8] no request header changes the address that is counted', async ({ assert }) => {
    const statuses = []
    for (let i = 0; i < 6; i++) {
      const { status } = await login('jo', 'wrong', {
        headers: {
          'x-forwarded-for': `192.0.2.${i}`,
          'x-real-ip': `192.0.2.${i}`,
          'forwarded': `for=192.0.2.${i}`,
          'cf-connecting-ip': `192.0.2.${i}`,
          'true-client-ip': `192.0.2.${i}`,
          'user-agent': `agent ${i}`,
        },
      })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  })

  test('[B8] a forwarded address of an untrusted client is not stored in the session', async ({
    assert,
  }) => {
    await login('jo', PASSWORD, { headers: { 'x-forwarded-for': '192.0.2.66' } })
    const { ip_address: address } = await db.from('admin_sessions').firstOrFail()
    assert.match(address, /^(::1|(::ffff:)?127\.0\.0\.1)$/)
  })

  test('[B8] concurrent attempts to log in are all counted', async ({ assert }) => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => login('jo', 'wrong')))
    const statuses = responses.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
  })

  test('[B8] a successful login resets the count of failed attempts', async ({ assert }) => {
    await fail(4)
    const { status } = await login('jo')
    assert.equal(status, 303)
    assert.deepEqual(await fail(6), [401, 401, 401, 401, 401, 429])
  })

  test('[B8] a successful login of another user does not reset the count of failed attempts', async ({
    assert,
  }) => {
    await fail(4)
    await login('al')
    assert.deepEqual(await fail(2), [401, 429])
  })

  test('[B8, B3] attempts with an unknown name are limited in the same way as with a known one', async ({
    assert,
  }) => {
    assert.deepEqual(await fail(6, 'nobody'), [401, 401, 401, 401, 401, 429])
    assert.deepEqual(await fail(6, 'no such name!'), [401, 401, 401, 401, 401, 429])
  })

  test('[B8] attempts count for the same name whatever its case and surrounding spaces', async ({
    assert,
  }) => {
    const names = ['jo', 'JO', ' jo', 'jo ', 'Jo', 'jO']
    const statuses = []
    for (const name of names) statuses.push(...(await fail(1, name)))
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  })

  test('[B8] logins with a name that fails from many addresses are delayed, and its owner can still log in', async ({
    assert,
  }) => {
    const { adminAuthentication } = await adminSite()
    const { throttle } = adminAuthentication
    for (let i = 0; i < config.login.quickAttemptsPerName; i++) {
      await throttle.attempt('jo', `198.51.100.${i}`)
    }
    const begin = performance.now()
    const { status } = await login('jo')
    assert.equal(status, 303)
    assert.isAbove(performance.now() - begin, 950)
    const other = performance.now()
    await login('al')
    assert.isBelow(performance.now() - other, 900)
  })

  test('[B8] a throttled attempt is logged without the password', async ({ assert, cleanup }) => {
    await fail(5)
    const lines = captureLog(cleanup)
    await login('jo', 'the-secret-guess')
    const [line, ...others] = lines().filter(({ level }) => level >= WARN_LEVEL)
    assert.isEmpty(others)
    assert.equal(line.msg, 'Login refused: too many attempts')
    assert.equal(line.username, 'jo')
    assert.notInclude(JSON.stringify(lines()), 'the-secret-guess')
  })
})

test.group('Admin | guessing from one address', (group) => {
  const { attemptsPerAddress, hashesAtOnce, hashesWaiting } = config.login

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await makeUser('jo')
  })

  test('[B8] after 50 failed logins with any names, further attempts from the address have to wait', async ({
    assert,
  }) => {
    for (let i = 0; i < attemptsPerAddress; i++) {
      const { status } = await login(`made-up-${i}`, 'wrong')
      assert.equal(status, 401)
    }
    for (const username of ['made-up', 'jo']) {
      const { status, headers, text } = await login(username)
      assert.equal(status, 429)
      assert.isAbove(Number(headers.get('retry-after')), 15 * 60 - 60)
      assert.include(text, 'Too many attempts. Try again in 15 minutes.')
      assert.isEmpty(headers.getSetCookie())
    }
  })

  test('[B8] attempts from a throttled address are refused before their body is read', async ({
    assert,
  }) => {
    const announced = [
      'POST /admin/login HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 9000000',
    ]
    const early = await exchange(...announced)
    assert.equal(early.status, 413)
    for (let i = 0; i < attemptsPerAddress; i++) await login(`made-up-${i}`, 'wrong')
    const { status, headers, body } = await exchange(...announced)
    assert.equal(status, 429)
    assert.isAbove(Number(headers['retry-after']), 15 * 60 - 60)
    assert.include(body, 'Too many attempts.')
    const json = ['POST /admin/login HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
    const other = await exchange(...json, 'Content-Length: 2', 'Connection: close', '', '{}')
    assert.equal(other.status, 429)
  })

  test('[B3] the body of a login is limited to 16 KB', async ({ assert }) => {
    const most = 16 * 1024
    const fits = `username=jo&password=${'x'.repeat(most - 'username=jo&password='.length)}`
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (body: string | Uint8Array, headers = {}) =>
      call('POST', '/admin/login', { body, headers: { ...form, ...headers } })

    const wrong = await send(fits)
    assert.equal(wrong.status, 401)
    const { status, text } = await send(`${fits}x`)
    assert.equal(status, 413)
    assert.notInclude(text, 'xxxx')
    const zipped = await send(gzipSync(`${fits}x`), { 'content-encoding': 'gzip' })
    assert.equal(zipped.status, 413)
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`
    const chunked = await exchange(
      'POST /admin/login HTTP/1.1',
      'Host: localhost',
      `Content-Type: ${form['content-type']}`,
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      `${chunk.repeat(5)}0`
    )
    assert.equal(chunked.status, 413)
    const theme = await call('POST', '/admin/theme', { body: `${fits}x`, headers: form })
    assert.equal(theme.status, 413)
  })

  test('[B8] successful logins do not count as failures of their address', async ({ assert }) => {
    for (let i = 0; i < attemptsPerAddress - 1; i++) await login(`made-up-${i}`, 'wrong')
    for (let i = 0; i < 3; i++) {
      const { status } = await login('jo')
      assert.equal(status, 303)
    }
  })

  test('[B8] only a limited number of passwords is compared concurrently, and a full queue is reported', async ({
    assert,
    cleanup,
  }) => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const original = hash.verify
    cleanup(() => {
      hash.verify = original
      open()
    })
    for (let i = 0; i < 30; i += 2) await makeUser(`user-${i}`)
    let comparing = 0
    let most = 0
    hash.verify = async (hashed: string, plain: string) => {
      most = Math.max(most, ++comparing)
      await opened
      comparing--
      return await original.call(hash, hashed, plain)
    }

    const room = hashesAtOnce + hashesWaiting
    const refused: HttpResponse[] = []
    const responses = Array.from({ length: room + 5 }, async (_, i) => {
      const response = await login(`user-${i}`, 'wrong')
      if (response.status === 503) refused.push(response)
      return response.status
    })
    /* Other requests are served in the meantime. */
    while (refused.length < 5) {
      const { status } = await get('/admin/login')
      assert.equal(status, 200)
    }
    open()
    const statuses = await Promise.all(responses)
    assert.equal(most, hashesAtOnce)
    assert.deepEqual(statuses.sort(), [...Array(room).fill(401), ...Array(5).fill(503)])
    for (const { headers, text } of refused) {
      assert.equal(headers.get('retry-after'), '5')
      assert.include(text, 'Logins are not possible right now.')
      assert.isEmpty(headers.getSetCookie())
    }

    /* An attempt without a comparison is not counted. */
    const { points } = await db
      .from('admin_rate_limits')
      .where('key', 'like', '%:login-address:%')
      .firstOrFail()
    assert.equal(points, room)
  })
})
