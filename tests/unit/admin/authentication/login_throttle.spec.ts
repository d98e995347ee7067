import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LoginThrottle } from '#admin/authentication/login_throttle'

const HOME = '192.0.2.1'
const LIMITS = { attempts: 5, withinMinutes: 15, attemptsPerAddress: 50 }
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
    await db.from('rate_limits').delete()
  })

  test('[B8] five attempts may go on, the sixth has to wait', async ({ assert }) => {
    assert.deepEqual(await attempts(5), Array(5).fill(undefined))
    const [wait] = await attempts(1)
    assert.isAbove(wait!, 15 * 60 - 10)
    assert.isAtMost(wait!, 15 * 60)
  })

  test('[B8] another name or another address is not affected', async ({ assert }) => {
    await attempts(6)
    assert.deepEqual(await attempts(1, 'al'), [undefined])
    assert.deepEqual(await attempts(1, 'jo', '192.0.2.2'), [undefined])
  })

  test('[B8] a name in other letters is no other name', async ({ assert }) => {
    await attempts(3, 'jo')
    await attempts(2, 'JO')
    assert.isTrue(await mustWait('Jo'))
  })

  test('[B8] a success clears the count, of this name and address only', async ({ assert }) => {
    await attempts(6)
    await attempts(6, 'al')
    await throttle.succeed('jo', HOME)
    assert.deepEqual(await attempts(5), Array(5).fill(undefined))
    assert.isTrue(await mustWait('al'))
  })

  test('[B8] attempts at once count as many', async ({ assert }) => {
    const waits = await Promise.all(Array.from({ length: 8 }, () => throttle.attempt('jo', HOME)))
    assert.lengthOf(
      waits.filter((wait) => wait === undefined),
      5
    )
  })

  test('[B8] after 15 minutes the count begins anew', async ({ assert }) => {
    await attempts(6)
    await db.from('rate_limits').update({ expire: Date.now() - 1000 })
    assert.deepEqual(await attempts(1), [undefined])
  })

  test('[B8] the count is in the database, where other processes see it', async ({ assert }) => {
    await attempts(5)
    const rows = await db.from('rate_limits').orderBy('key')
    assert.deepEqual(
      rows.map(({ key, points }) => [key, points]),
      [
        ['rlflx:login-address:192.0.2.1', 5],
        ['rlflx:login:jo:192.0.2.1', 5],
      ]
    )
    const another = new LoginThrottle(LIMITS)
    assert.isNumber(await another.attempt('jo', HOME))
  })

  test('[B8] number and time are those of the configuration', async ({ assert }) => {
    const strict = new LoginThrottle({ ...LIMITS, attempts: 1, withinMinutes: 2 })
    assert.isUndefined(await strict.attempt('jo', HOME))
    assert.isAtMost((await strict.attempt('jo', HOME))!, 120)
  })

  test('[B8] a name that can be none is counted as well')
    .with(['', 'x'.repeat(100_000), '\ud800', 'a\0b', 'é'.repeat(500), "'; drop table x", '%'])
    .run(async ({ assert }, username) => {
      assert.deepEqual(await attempts(5, username), Array(5).fill(undefined))
      assert.isTrue(await mustWait(username))
      for (const { key } of await db.from('rate_limits')) assert.isBelow(key.length, 255)
    })
})

test.group('LoginThrottle | all names of an address', (group) => {
  const strict = new LoginThrottle({ ...LIMITS, attemptsPerAddress: 8 })
  let name = 0
  /** Fails with that many made-up names. */
  async function guess(count: number, address = HOME) {
    const waits = []
    for (let i = 0; i < count; i++) waits.push(await strict.attempt(`made-up-${name++}`, address))
    return waits
  }
  const pointsOf = async (key: string) => {
    const row = await db.from('rate_limits').where('key', `rlflx:${key}`).first()
    return row?.points
  }

  group.each.setup(async () => {
    await db.from('rate_limits').delete()
  })

  test('[B8] eight failures of any names may go on, the ninth has to wait', async ({ assert }) => {
    assert.deepEqual(await guess(8), Array(8).fill(undefined))
    const [wait] = await guess(1)
    assert.isAbove(wait!, 15 * 60 - 10)
    assert.isAtMost(wait!, 15 * 60)
    assert.deepEqual(await guess(1, '192.0.2.2'), [undefined])
  })

  test('[B8] many at once count as many', async ({ assert }) => {
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, i) => strict.attempt(`at-once-${i}`, HOME))
    )
    assert.lengthOf(
      waits.filter((wait) => wait === undefined),
      8
    )
  })

  test('[B8] a refused attempt leaves no row, and counts for nobody', async ({ assert }) => {
    await guess(8)
    await guess(5)
    await strict.attempt('jo', HOME)
    assert.equal(await pointsOf('login-address:192.0.2.1'), 8)
    assert.isUndefined(await pointsOf('login:jo:192.0.2.1'))
  })

  test('[B8] going on at one name does not shut out the others of the address', async ({
    assert,
  }) => {
    const waits = []
    for (let i = 0; i < 20; i++) waits.push(await strict.attempt('jo', HOME))
    assert.isNumber(waits.at(-1))
    await Promise.all(Array.from({ length: 20 }, () => strict.attempt('jo', HOME)))
    assert.equal(await pointsOf('login-address:192.0.2.1'), 5)
    assert.deepEqual(await guess(3), Array(3).fill(undefined))
  })

  test('[B8] successes are not counted, and clear nothing of others', async ({ assert }) => {
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

  test('[B8] an attempt that was not looked at is taken back', async ({ assert }) => {
    await guess(2)
    await strict.attempt('jo', HOME)
    await strict.attempt('jo', HOME)
    await strict.withdraw('jo', HOME)
    assert.equal(await pointsOf('login-address:192.0.2.1'), 3)
    assert.equal(await pointsOf('login:jo:192.0.2.1'), 1)
  })
})
