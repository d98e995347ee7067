import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LoginThrottle } from '#admin/authentication/login/login_throttle'

test.group('LoginThrottle | networks', (group) => {
  group.each.setup(async () => {
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] addresses of one IPv6 network are counted together, and so are invalid addresses', async ({
    assert,
  }) => {
    const throttle = new LoginThrottle({
      attempts: 1,
      withinMinutes: 15,
      attemptsPerAddress: 50,
      quickAttemptsPerName: 20,
      slowestSeconds: 15,
      slowedAtOnce: 500,
    })
    for (const [first, same, other] of [
      ['2001:db8::1', '2001:0db8:0:0:ffff::2', '2001:db8:0:1::1'],
      ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'],
      ['junk', 'x'.repeat(300), '::1'],
    ]) {
      assert.isUndefined(await throttle.attempt('jo', first))
      assert.isAbove((await throttle.attempt('jo', same))!, 0, same)
      assert.isUndefined(await throttle.attempt('jo', other), other)
    }
  })
})
