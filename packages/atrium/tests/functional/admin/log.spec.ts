import { test } from '@japa/runner'
import {
  cookiesFrom,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
} from '#tests/helpers/admin'
import { captureLog, INFO_LEVEL, WARN_LEVEL } from '#tests/helpers/captured_log'
import { get } from '#tests/helpers/http'

const LOCAL = /^(::1|(::ffff:)?127\.0\.0\.1)$/

test.group('Admin | log lines of login and logout', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await makeUser('jo')
  })

  test('[B3, B5] login, failed login and logout are each logged on one line with user name and address', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    await login('jo', 'wrong')
    const response = await login('jo')
    const cookie = cookiesFrom(response)
    await get('/admin/logout', { headers: { cookie } })

    const told = lines().filter(({ level }) => level >= INFO_LEVEL)
    assert.deepEqual(
      told.map(({ level, msg, username }) => [level, msg, username]),
      [
        [WARN_LEVEL, 'Login failed', 'jo'],
        [INFO_LEVEL, 'Logged in', 'jo'],
        [INFO_LEVEL, 'Logged out', 'jo'],
      ]
    )
    for (const { address } of told) assert.match(address!, LOCAL)
  })

  test('[B3, B11] the log contains no password, token or session id', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    await login('jo', 'a-secret-guess')
    const response = await login('jo')
    const cookie = cookiesFrom(response)
    await get('/admin/logout', { headers: { cookie } })

    const text = JSON.stringify(lines())
    assert.include(text, 'Logged out')
    const { access_token: token, session_id: id } = receivedCookies(response)
    for (const secret of ['a-secret-guess', PASSWORD, token.value, id.value]) {
      assert.notInclude(text, secret)
    }
  })

  test('[B3] a long user name is truncated and can’t break a log line', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    await login(`x\n${'y'.repeat(1000)}`, 'wrong')
    const [{ username }] = lines().filter(({ level }) => level === WARN_LEVEL)
    assert.equal(username, `x\n${'y'.repeat(30)}`)
  })
})
