import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LoginThrottle } from '#admin/authentication/login/login_throttle'
import { counters, useCounters } from '#base/counters'
import { QueueFull } from '#admin/authentication/login/work_queue'

const HOME = '192.0.2.1'
const LIMITS = {
  attempts: 5,
  withinMinutes: 15,
  attemptsPerAddress: 50,
  quickAttemptsPerName: 20,
  slowestSeconds: 15,
  slowedAtOnce: 500,
}
const throttle = new LoginThrottle(LIMITS)

async function attempts(count: number, username = 'jo', address = HOME) {
  const waits = []
  for (let i = 0; i < count; i++) waits.push(await throttle.attempt(username, address))
  return waits
}

async function mustWait(username = 'jo') {
  const [wait] = await attempts(1, username)
  return wait !== undefined
}

test.group('LoginThrottle', (group) => {
  group.each.setup(async () => {
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] five attempts are allowed, and the sixth has to wait', async ({ assert }) => {
    assert.deepEqual(await attempts(5), Array(5).fill(undefined))
    const [wait] = await attempts(1)
    assert.isAbove(wait!, 15 * 60 - 10)
    assert.isAtMost(wait!, 15 * 60)
  })

  test('[B8] attempts with another name or from another address are not affected', async ({
    assert,
  }) => {
    await attempts(6)
    assert.deepEqual(await attempts(1, 'al'), [undefined])
    assert.deepEqual(await attempts(1, 'jo', '192.0.2.2'), [undefined])
  })

  test('[B8] concurrent attempts that are refused because of their name are not counted for their address', async ({
    assert,
  }) => {
    const waits = await Promise.all(
      Array.from({ length: LIMITS.attemptsPerAddress }, () => throttle.attempt('jo', HOME))
    )
    assert.lengthOf(
      waits.filter((wait) => wait === undefined),
      LIMITS.attempts
    )
    assert.equal(await throttle.waitOf(HOME), 0)
    assert.deepEqual(await attempts(1, 'al'), [undefined])
  })

  test('[B8] names that differ in case are counted together', async ({ assert }) => {
    await attempts(3, 'jo')
    await attempts(2, 'JO')
    assert.isTrue(await mustWait('Jo'))
  })

  test('[B8] a success resets only the count of its name at its address', async ({ assert }) => {
    await attempts(6)
    await attempts(6, 'al')
    await throttle.succeed('jo', HOME)
    assert.deepEqual(await attempts(5), Array(5).fill(undefined))
    assert.isTrue(await mustWait('al'))
  })

  test('[B8] after 15 minutes the count of attempts starts again', async ({ assert }) => {
    await attempts(6)
    await db.from('admin_rate_limits').update({ expire: Date.now() - 1000 })
    assert.deepEqual(await attempts(1), [undefined])
  })

  test('[B8] the count is stored in the database, where other processes use it', async ({
    assert,
  }) => {
    await attempts(5)
    const rows = await db.from('admin_rate_limits').orderBy('key')
    assert.deepEqual(
      rows.map(({ key, points }) => [key, points]),
      [
        ['rlflx:login-address:192.0.2.1', 5],
        ['rlflx:login-name:jo', 5],
        ['rlflx:login:jo:192.0.2.1', 5],
      ]
    )
    const another = new LoginThrottle(LIMITS)
    assert.isNumber(await another.attempt('jo', HOME))
  })

  test('[B8.2] an attempt that cannot be counted fails', async ({ assert, cleanup }) => {
    const before = counters()
    cleanup(() => useCounters(before))
    const consume = async () => {
      throw new Error('The store is not available')
    }
    useCounters({ use: () => ({ availableIn: async () => 0, consume }) } as never)
    await assert.rejects(() => throttle.attempt('jo', HOME), 'The store is not available')
  })

  test('[B8] the number of attempts and the waiting time are configurable', async ({ assert }) => {
    const strict = new LoginThrottle({ ...LIMITS, attempts: 1, withinMinutes: 2 })
    assert.isUndefined(await strict.attempt('jo', HOME))
    assert.isAtMost((await strict.attempt('jo', HOME))!, 120)
  })

  test('[B8] an invalid name is counted too')
    .with(['', 'x'.repeat(100_000), '\ud800', 'a\0b', 'é'.repeat(500), "'; drop table x", '%'])
    .run(async ({ assert }, username) => {
      assert.deepEqual(await attempts(5, username), Array(5).fill(undefined))
      assert.isTrue(await mustWait(username))
      for (const { key } of await db.from('admin_rate_limits')) assert.isBelow(key.length, 255)
    })
})

test.group('LoginThrottle | all names from one address', (group) => {
  const strict = new LoginThrottle({ ...LIMITS, attemptsPerAddress: 8 })
  let name = 0
  /** Fails with that many random names. */
  async function guess(count: number, address = HOME) {
    const waits = []
    for (let i = 0; i < count; i++) waits.push(await strict.attempt(`made-up-${name++}`, address))
    return waits
  }
  const pointsOf = async (key: string) => {
    const row = await db.from('admin_rate_limits').where('key', `rlflx:${key}`).first()
    return row?.points
  }

  group.each.setup(async () => {
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] eight failures with any names are allowed, and the ninth has to wait', async ({
    assert,
  }) => {
    assert.deepEqual(await guess(8), Array(8).fill(undefined))
    const [wait] = await guess(1)
    assert.isAbove(wait!, 15 * 60 - 10)
    assert.isAtMost(wait!, 15 * 60)
    assert.deepEqual(await guess(1, '192.0.2.2'), [undefined])
  })

  test('[B8] concurrent failures from one address are all counted', async ({ assert }) => {
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, i) => strict.attempt(`at-once-${i}`, HOME))
    )
    assert.lengthOf(
      waits.filter((wait) => wait === undefined),
      8
    )
  })

  test('[B8] an attempt refused because of its name or address is not counted again', async ({
    assert,
  }) => {
    await guess(8)
    await guess(5)
    await strict.attempt('jo', HOME)
    assert.equal(await pointsOf('login-address:192.0.2.1'), 8)
    assert.isUndefined(await pointsOf('login:jo:192.0.2.1'))
  })

  test('[B8] repeated failures of one name do not block other names at the same address', async ({
    assert,
  }) => {
    const waits = []
    for (let i = 0; i < 20; i++) waits.push(await strict.attempt('jo', HOME))
    assert.isNumber(waits.at(-1))
    await Promise.all(Array.from({ length: 20 }, () => strict.attempt('jo', HOME)))
    assert.equal(await pointsOf('login-address:192.0.2.1'), 5)
    assert.deepEqual(await guess(3), Array(3).fill(undefined))
  })

  test('[B8] successful attempts are not counted, and do not reset the failed attempts of their address', async ({
    assert,
  }) => {
    await guess(4)
    for (let i = 0; i < 10; i++) {
      assert.isUndefined(await strict.attempt('jo', HOME))
      await strict.succeed('jo', HOME)
    }
    assert.equal(await pointsOf('login-address:192.0.2.1'), 4)
    assert.deepEqual(await guess(4), Array(4).fill(undefined))
    const [wait] = await guess(1)
    assert.isNumber(wait)
  })

  test('[B8] a withdrawn attempt, whose password was not compared, is not counted', async ({
    assert,
  }) => {
    await guess(2)
    await strict.attempt('jo', HOME)
    await strict.attempt('jo', HOME)
    await strict.withdraw('jo', HOME)
    assert.equal(await pointsOf('login-address:192.0.2.1'), 3)
    assert.equal(await pointsOf('login:jo:192.0.2.1'), 1)
  })
})

test.group('LoginThrottle | one name from many addresses', (group) => {
  const slowing = { ...LIMITS, quickAttemptsPerName: 8, slowestSeconds: 3 }
  const ours = new LoginThrottle(slowing)
  let address = 0
  /** Fails from a different address each time. */
  async function guess(count: number, username = 'jo', on = ours) {
    const waits = []
    for (let i = 0; i < count; i++) {
      waits.push(await on.attempt(username, `198.51.100.${++address % 250}`))
    }
    return waits
  }

  group.each.setup(async () => {
    address = 0
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] failures from many addresses delay logins with that name increasingly, and never block it', async ({
    assert,
  }) => {
    const waits = await guess(8)
    assert.equal(await ours.slowness('jo'), 0)
    const slow = []
    for (let i = 0; i < 5; i++) {
      waits.push(...(await guess(1)))
      slow.push(await ours.slowness('jo'))
    }
    assert.deepEqual(slow, [1, 2, 3, 3, 3])
    assert.deepEqual(waits, Array(13).fill(undefined))
  })

  test('[B8] the delay applies in all processes, in any case of the name, and to no other name', async ({
    assert,
  }) => {
    await guess(6, 'jo')
    await guess(4, 'JO', new LoginThrottle(slowing))
    assert.equal(await ours.slowness('Jo'), 2)
    assert.equal(await ours.slowness('al'), 0)
  })

  test('[B8] refused, withdrawn and successful attempts do not increase the delay', async ({
    assert,
  }) => {
    await guess(8)
    for (let i = 0; i < 9; i++) await ours.attempt('jo', HOME)
    assert.equal(await ours.slowness('jo'), 3)
    await ours.withdraw('jo', HOME)
    await ours.withdraw('jo', HOME)
    await ours.withdraw('jo', HOME)
    assert.equal(await ours.slowness('jo'), 2)
    await ours.succeed('jo', HOME)
    assert.equal(await ours.slowness('jo'), 1)
  })

  test('[B8] the delay ends when the counted attempts have expired', async ({ assert }) => {
    await guess(12)
    await db.from('admin_rate_limits').update({ expire: Date.now() - 1000 })
    assert.equal(await ours.slowness('jo'), 0)
  })

  test('[B8] a login waits for the delay of its name, and only a limited number of logins can wait', async ({
    assert,
  }) => {
    const strict = new LoginThrottle({ ...slowing, slowestSeconds: 1, slowedAtOnce: 2 })
    await guess(9)
    const begin = performance.now()
    const held = [strict.slowDown('jo'), strict.slowDown('jo'), strict.slowDown('jo')]
    const ends = await Promise.allSettled(held)
    assert.isAbove(performance.now() - begin, 950)
    assert.deepEqual(ends.map(({ status }) => status).sort(), [
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
    const refused = ends.find((end) => end.status === 'rejected')
    assert.instanceOf(refused!.reason, QueueFull)
    /* A slot is free again, and an attempt without a delay never needs one. */
    await Promise.all([strict.slowDown('al'), strict.slowDown('jo')])
  })
})

test.group('LoginThrottle | second factors', (group) => {
  const ours = new LoginThrottle({ ...LIMITS, quickAttemptsPerName: 3 })
  const jo = { id: 7, username: 'jo' }
  const ADDRESS = '198.51.100.1'

  async function points(): Promise<Record<string, number>> {
    const rows = await db.from('admin_rate_limits')
    return Object.fromEntries(
      rows.map(({ key, points: count }) => [key.replace('rlflx:', ''), count])
    )
  }

  group.each.setup(async () => {
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] attempts at a second factor are counted like passwords, and per user', async ({
    assert,
  }) => {
    assert.isUndefined(await ours.attemptFactor(jo, ADDRESS))
    assert.deepEqual(await points(), {
      'login-factor:7': 1,
      'login-name:jo': 1,
      [`login:jo:${ADDRESS}`]: 1,
      [`login-address:${ADDRESS}`]: 1,
    })
  })

  test('[B8] after too many attempts from any address a user has to wait, and the refused attempt is not counted', async ({
    assert,
  }) => {
    for (let i = 1; i <= 3; i++) assert.isUndefined(await ours.attemptFactor(jo, `192.0.2.${i}`))
    const before = await points()
    const wait = await ours.attemptFactor(jo, ADDRESS)
    assert.isAbove(wait!, 15 * 60 - 10)
    assert.isAtMost(wait!, 15 * 60)
    assert.deepEqual(await points(), before)
    assert.isUndefined(await ours.attemptFactor({ id: 8, username: 'al' }, ADDRESS))
  })

  test('[B8] of concurrent attempts, those beyond the limit are not counted for name and address', async ({
    assert,
  }) => {
    const waits = await Promise.all(
      Array.from({ length: 5 }, (_, index) => ours.attemptFactor(jo, `192.0.2.${index}`))
    )
    assert.lengthOf(
      waits.filter((wait) => wait === undefined),
      3
    )
    assert.propertyVal(await points(), 'login-name:jo', 3)
  })

  test('[B8] while a name has to wait, an attempt at its second factor is refused and not counted', async ({
    assert,
  }) => {
    for (let i = 0; i < LIMITS.attempts; i++) await ours.attempt('jo', ADDRESS)
    assert.isNumber(await ours.attemptFactor(jo, ADDRESS))
    assert.notProperty(await points(), 'login-factor:7')
  })

  test('[B8] an attempt at a second factor that was withdrawn or succeeded is subtracted from all counts', async ({
    assert,
  }) => {
    await ours.attemptFactor(jo, ADDRESS)
    await ours.attemptFactor(jo, ADDRESS)
    await ours.withdrawFactor(jo, ADDRESS)
    assert.deepEqual(Object.values(await points()), [1, 1, 1, 1])
    await ours.succeedWithFactor(jo, ADDRESS)
    assert.deepEqual(await points(), {
      'login-factor:7': 0,
      'login-name:jo': 0,
      [`login-address:${ADDRESS}`]: 0,
    })
  })

  test('[B8] attempts without a name are counted for the address', async ({ assert }) => {
    const strict = new LoginThrottle({ ...LIMITS, attemptsPerAddress: 2 })
    assert.isUndefined(await strict.attemptOfAddress(ADDRESS))
    assert.equal(await strict.waitOf(ADDRESS), 0)
    assert.isUndefined(await strict.attemptOfAddress(ADDRESS))
    assert.isNumber(await strict.attemptOfAddress(ADDRESS))
    assert.isAbove(await strict.waitOf(ADDRESS), 15 * 60 - 10)
    assert.isUndefined(await strict.attemptOfAddress('192.0.2.9'))
    await db.from('admin_rate_limits').delete()
    await strict.attemptOfAddress(ADDRESS)
    await strict.withdrawOfAddress(ADDRESS)
    assert.deepEqual(await points(), { [`login-address:${ADDRESS}`]: 0 })
  })
})
