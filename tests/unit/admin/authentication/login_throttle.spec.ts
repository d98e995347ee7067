import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LoginThrottle } from '#admin/authentication/login_throttle'

const HOME = '192.0.2.1'
const throttle = new LoginThrottle({ attempts: 5, withinMinutes: 15 })

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
    await throttle.clear('jo', HOME)
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
    const rows = await db.from('rate_limits')
    assert.lengthOf(rows, 1)
    assert.equal(rows[0].points, 5)
    const another = new LoginThrottle({ attempts: 5, withinMinutes: 15 })
    assert.isNumber(await another.attempt('jo', HOME))
  })

  test('[B8] number and time are those of the configuration', async ({ assert }) => {
    const strict = new LoginThrottle({ attempts: 1, withinMinutes: 2 })
    assert.isUndefined(await strict.attempt('jo', HOME))
    assert.isAtMost((await strict.attempt('jo', HOME))!, 120)
  })

  test('[B8] a name that can be none is counted as well')
    .with(['', 'x'.repeat(100_000), '\ud800', 'a\0b', 'é'.repeat(500), "'; drop table x", '%'])
    .run(async ({ assert }, username) => {
      assert.deepEqual(await attempts(5, username), Array(5).fill(undefined))
      assert.isTrue(await mustWait(username))
      const { key } = await db.from('rate_limits').firstOrFail()
      assert.isBelow(key.length, 255)
    })
})
