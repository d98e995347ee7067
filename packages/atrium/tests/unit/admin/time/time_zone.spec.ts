import { test } from '@japa/runner'
import {
  inZone,
  presentZone,
  isoOffset,
  isTimeZone,
  offsetLabel,
  TIME_ZONES,
  ZONES_BY_AREA,
} from '#admin/time/time_zone'

const MINUTE = 60_000

test.group('Admin | list of time zones', () => {
  test('[R12] all time zones of the runtime are accepted, and listed under their current names together with UTC', ({
    assert,
  }) => {
    assert.equal(TIME_ZONES[0], 'UTC')
    for (const name of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv']) {
      assert.isTrue(isTimeZone(name), name)
    }
    for (const name of ['', 'Mars/Olympus', '+02:00', 'europe/berlin', 2, undefined]) {
      assert.isFalse(isTimeZone(name), String(name))
    }
    assert.notInclude(TIME_ZONES, 'Asia/Calcutta')
    assert.deepEqual(ZONES_BY_AREA.get(''), ['UTC'])
    assert.include(ZONES_BY_AREA.get('Europe')!, 'Europe/Berlin')
  })

  test('[R12] offsets are formatted for display and as in ISO 8601', ({ assert }) => {
    const both = (minutes: number) => [offsetLabel(minutes * MINUTE), isoOffset(minutes * MINUTE)]
    assert.deepEqual(both(0), ['UTC', '+00:00'])
    assert.deepEqual(both(60), ['UTC+1', '+01:00'])
    assert.deepEqual(both(-210), ['UTC-3:30', '-03:30'])
    assert.deepEqual(both(840), ['UTC+14', '+14:00'])
    assert.deepEqual([offsetLabel(3_208_000), isoOffset(3_208_000)], ['UTC+0:53:28', null])
  })

  test('[R12] a zone applies to a function and to everything that it awaits', async ({
    assert,
  }) => {
    assert.equal(presentZone(), 'UTC')
    await inZone('Europe/Berlin', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      assert.equal(presentZone(), 'Europe/Berlin')
      inZone('UTC', () => assert.equal(presentZone(), 'UTC'))
    })
    assert.equal(presentZone(), 'UTC')
  })
})
