import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { SiteRedis } from '#admin/services/site_redis'
import { counters } from '#base/counters'
import { adminSite, emptyAdminTables, fakeHashes, login, makeUser } from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'

const PASSWORD = 'correct horse'

test.group('Admin | store of the login throttle', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await makeUser('jo')
  })

  test('[B8] nothing connects to Redis if attempts are counted in the database', async ({
    assert,
  }) => {
    await login('jo', 'wrong')
    const redis = await app.container.make(SiteRedis)
    assert.isFalse(redis.isUsed)
    assert.equal(counters().use({ requests: 1, duration: 1 }).name, 'database')
  })

  test("[B8] a login attempt that can't be counted is refused", async ({ assert, cleanup }) => {
    const site = await adminSite()
    const { throttle } = site.adminAuthentication
    cleanup(() => {
      delete (throttle as Partial<typeof throttle>).attempt
    })
    throttle.attempt = async () => {
      throw new Error('no store\nwith a second line')
    }
    const lines = captureLog(cleanup)
    for (const password of [PASSWORD, 'wrong']) {
      const { status, headers, text } = await login('jo', password)
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '5')
      assert.isEmpty(headers.getSetCookie())
      assert.include(text, '<body class="door">')
      assert.include(text, 'Logins are not possible right now.')
      assert.include(text, 'value="jo"')
    }
    const logged = lines().filter(({ level }) => level === ERROR_LEVEL)
    assert.lengthOf(logged, 2)
    assert.deepInclude(logged[0], {
      msg: 'Login refused: it can not be counted',
      username: 'jo',
      reason: 'no store',
    } as object)
  })

  test("[B8] a login succeeds even if the count can't be reset", async ({ assert, cleanup }) => {
    const site = await adminSite()
    const { throttle } = site.adminAuthentication
    cleanup(() => {
      delete (throttle as Partial<typeof throttle>).succeed
    })
    throttle.succeed = async () => {
      throw new Error('no store')
    }
    const lines = captureLog(cleanup)
    const { status } = await login('jo')
    assert.equal(status, 303)
    assert.lengthOf(
      lines().filter(({ level }) => level === ERROR_LEVEL),
      1
    )
  })
})
