import { test } from '@japa/runner'
import { IANAZone } from 'luxon'
import type { Column } from '#base/columns/column'
import { localTimeSql } from '#base/database/zone_offsets'
import { beginOfDay } from '#crud/operations/count'

const datetime = { kind: 'datetime' } as Column

function localTime(zone: string | undefined, column: Column = datetime): string {
  return localTimeSql('at', column, zone, String, (moment, offset) => `${moment} + ${offset}`)
}

test.group('Days in a time zone', () => {
  test('[B23, R12] a day begins at local midnight, or later if clocks skip midnight', ({
    assert,
  }) => {
    assert.equal(beginOfDay('2026-03-29', 'utc'), '2026-03-29 00:00:00')
    assert.equal(beginOfDay('2026-03-29', 'Europe/Berlin'), '2026-03-28 23:00:00')
    assert.equal(beginOfDay('2026-03-30', 'Europe/Berlin'), '2026-03-29 22:00:00')
    /* Clocks were put forward at midnight. */
    assert.equal(beginOfDay('2018-11-04', 'America/Sao_Paulo'), '2018-11-04 03:00:00')
  })

  test('[R12, G5.8] columns in UTC and dates need no offset, and an unknown time zone is refused', ({
    assert,
  }) => {
    assert.equal(localTime(undefined), 'at')
    assert.equal(localTime('UTC'), 'at')
    assert.equal(localTime('Europe/Berlin', { kind: 'date' } as Column), 'at')
    assert.include(localTime('Asia/Kolkata'), '19800')
    assert.throws(() => localTime("'; drop table users"), /Invalid time zone/)
  })

  test('[R12, G5.8] the offset changes of a time zone are calculated once, to the minute', ({
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
    const sql = localTime('Europe/Vienna')
    assert.isBelow(calls, 12_000)
    const before = calls
    assert.equal(localTime('Europe/Vienna'), sql)
    assert.equal(calls, before)
    for (const change of ['2026-03-29 01:00:00', '2026-10-25 01:00:00', '1916-04-30 22:00:00']) {
      assert.include(sql, `at < '${change}'`)
    }
  })
})
