import { test } from '@japa/runner'
import { IANAZone } from 'luxon'
import { beginOfDay, intoDays, partFor } from '#crud/operations/count'

test.group('Days in a time zone', () => {
  test('[B23, R12] a day begins at local midnight, or later if the clocks skip midnight', ({
    assert,
  }) => {
    assert.equal(beginOfDay('2026-03-29', 'utc'), '2026-03-29 00:00:00')
    assert.equal(beginOfDay('2026-03-29', 'Europe/Berlin'), '2026-03-28 23:00:00')
    assert.equal(beginOfDay('2026-03-30', 'Europe/Berlin'), '2026-03-29 22:00:00')
    /* Clocks were put forward at midnight. */
    assert.equal(beginOfDay('2018-11-04', 'America/Sao_Paulo'), '2018-11-04 03:00:00')
  })

  test('[B23, R12] counts are grouped by hours, or by minutes for zones with a fraction of an hour', ({
    assert,
  }) => {
    const parts = ['utc', 'UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu'].map(partFor)
    assert.deepEqual(parts, ['day', 'day', 'hour', 'minute', 'minute'])
  })

  test('[B23, R12] the counts of hours are added up to days of the time zone', ({ assert }) => {
    const hours = new Map([
      ['2026-10-24 21', 1],
      ['2026-10-24 22', 2],
      ['2026-10-25 22', 4],
      ['2026-10-25T23', 8],
    ])
    assert.deepEqual(intoDays(hours, 'Europe/Berlin'), [
      { day: '2026-10-24', count: 1 },
      { day: '2026-10-25', count: 6 },
      { day: '2026-10-26', count: 8 },
    ])
    const minutes = new Map([
      ['2026-10-24 18:29', 1],
      ['2026-10-24 18:30', 2],
    ])
    assert.deepEqual(intoDays(minutes, 'Asia/Kolkata'), [
      { day: '2026-10-24', count: 1 },
      { day: '2026-10-25', count: 2 },
    ])
    assert.deepEqual(intoDays(new Map([['2026-10-24', 3]]), 'utc'), [
      { day: '2026-10-24', count: 3 },
    ])
  })
  test('[R12, G5.4] grouping the hours of ten years needs few calculations of the time zone', ({
    assert,
    cleanup,
  }) => {
    const { offset } = IANAZone.prototype
    let calls = 0
    IANAZone.prototype.offset = function (...given) {
      calls++
      return offset.apply(this, given)
    }
    cleanup(() => void (IANAZone.prototype.offset = offset))
    const begin = Date.UTC(2016, 0, 1)
    const hours = Array.from({ length: 3653 * 24 }, (_, hour) =>
      new Date(begin + hour * 3_600_000).toISOString().slice(0, 13)
    )
    const days = intoDays(new Map(hours.map((hour) => [hour, 1])), 'Europe/Berlin')
    assert.isBelow(calls, 2 * 3653)
    assert.lengthOf(days, 3654)
    const odd = days.filter(({ count }) => count !== 24).map(({ count, day }) => [day, count])
    assert.includeDeepMembers(odd, [
      ['2016-01-01', 23],
      ['2016-03-27', 23],
      ['2016-10-30', 25],
      ['2026-01-01', 1],
    ])
    assert.deepEqual(intoDays(new Map([['not a time', 1]]), 'Asia/Kolkata')[0].count, 1)
  })
})
