import { test } from '@japa/runner'
import { Logger } from '@adonisjs/core/logger'
import db from '@adonisjs/lucid/services/db'
import { emptyAdminTables, fakeHashes, login, makeUser, PASSWORD } from '#tests/helpers/admin'

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

  test('[B8] the sixth attempt is refused, and says for how long', async ({ assert }) => {
    assert.deepEqual(await fail(5), [401, 401, 401, 401, 401])
    const { status, headers, text } = await login('jo', 'wrong')
    assert.equal(status, 429)
    const seconds = Number(headers.get('retry-after'))
    assert.isAbove(seconds, 15 * 60 - 20)
    assert.isAtMost(seconds, 15 * 60)
    assert.include(text, 'Too many attempts. Try again in 15 minutes.')
    assert.include(text, 'value="jo"')
  })

  test('[B8] then the right password is refused as well', async ({ assert }) => {
    await fail(5)
    const { status, headers } = await login('jo')
    assert.equal(status, 429)
    assert.isEmpty(headers.getSetCookie())
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('[B8] another user is not affected', async ({ assert }) => {
    await fail(6)
    const { status } = await login('al')
    assert.equal(status, 303)
  })

  test('[B8] another address is not affected', async ({ assert }) => {
    await fail(6)
    const keys = await db.from('rate_limits')
    const address = /(::1|(::ffff:)?127\.0\.0\.1)$/
    assert.lengthOf(keys, 1)
    assert.match(keys[0].key, address)
    await db.from('rate_limits').update({ key: keys[0].key.replace(address, '192.0.2.1') })
    const { status } = await login('jo')
    assert.equal(status, 303)
  })

  test('[B8] a header does not make another address', async ({ assert }) => {
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

  test('[B8] nor is a forwarded address noted of a session', async ({ assert }) => {
    await login('jo', PASSWORD, { headers: { 'x-forwarded-for': '192.0.2.66' } })
    const { ip_address: address } = await db.from('admin_sessions').firstOrFail()
    assert.match(address, /^(::1|(::ffff:)?127\.0\.0\.1)$/)
  })

  test('[B8] attempts at once count as many', async ({ assert }) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => login('jo', 'wrong')))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
  })

  test('[B8] a success clears the count', async ({ assert }) => {
    await fail(4)
    const { status } = await login('jo')
    assert.equal(status, 303)
    assert.deepEqual(await fail(6), [401, 401, 401, 401, 401, 429])
  })

  test('[B8] a success of another user clears nothing', async ({ assert }) => {
    await fail(4)
    await login('al')
    assert.deepEqual(await fail(2), [401, 429])
  })

  test('[B8] after the time is over it may be tried again', async ({ assert }) => {
    await fail(6)
    await db.from('rate_limits').update({ expire: Date.now() - 1000 })
    const { status } = await login('jo')
    assert.equal(status, 303)
  })

  test('[B8, B3] a name that nobody has is bounded just so', async ({ assert }) => {
    assert.deepEqual(await fail(6, 'nobody'), [401, 401, 401, 401, 401, 429])
    assert.deepEqual(await fail(6, 'no such name!'), [401, 401, 401, 401, 401, 429])
  })

  test('[B8] other letters or spaces around the name do not make another', async ({ assert }) => {
    const names = ['jo', 'JO', ' jo', 'jo ', 'Jo', 'jO']
    const statuses = []
    for (const name of names) statuses.push(...(await fail(1, name)))
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  })

  test('[B8] a refusal is logged, without the password', async ({ assert, cleanup }) => {
    const lines: string[] = []
    const original = Logger.prototype.warn
    cleanup(() => {
      Logger.prototype.warn = original
    })
    Logger.prototype.warn = (...args: unknown[]) => {
      lines.push(JSON.stringify(args))
    }

    await fail(5)
    assert.isEmpty(lines)
    await login('jo', 'the-secret-guess')
    assert.lengthOf(lines, 1)
    assert.match(lines[0], /jo.*too many attempts/)
    assert.notInclude(lines[0], 'the-secret-guess')
  })
})
