import { test } from '@japa/runner'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import {
  fromUtc,
  inUtc,
  quickMoment,
  readDate,
  readDateTime,
  readTime,
  writeDate,
  writeDateTime,
} from '#base/values/datetime'

const moments = fc
  .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((date) => DateTime.fromJSDate(date, { zone: 'utc' }).startOf('second'))

const apiText = (moment: DateTime) => moment.toFormat('yyyy-MM-dd HH:mm:ss')

test.group('Datetimes', () => {
  test('[A20] any datetime, in any zone and common format, is parsed to UTC', ({ assert }) => {
    const zones = ['utc', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia']
    fc.assert(
      fc.property(moments, fc.constantFrom(...zones), fc.boolean(), (moment, zone, spaced) => {
        /* Offsets with seconds, from before standard time, have no ISO 8601 format. */
        fc.pre(moment.year > 1930)
        const iso = moment.setZone(zone).toISO({ suppressMilliseconds: true })!
        assert.equal(readDateTime(spaced ? iso.replace('T', ' ') : iso), apiText(moment))
        assert.equal(readDateTime(apiText(moment)), apiText(moment))
      })
    )
  })

  test('[A20] a datetime is unchanged when it is formatted and parsed again', ({ assert }) => {
    fc.assert(
      fc.property(moments, (moment) => {
        const expected = apiText(moment)
        assert.equal(inUtc(moment), expected)
        assert.equal(writeDateTime(moment), expected)
        assert.equal(writeDateTime(moment.setZone('Asia/Tokyo')), expected)
        assert.equal(writeDateTime(moment.toJSDate()), expected)
        assert.equal(writeDateTime(moment.toMillis()), expected)
        assert.equal(writeDateTime(expected), expected)
        assert.equal(writeDateTime(moment.toISO()), expected)
      })
    )
  })

  test('[A20] years without four digits, and invalid datetimes, are formatted as Luxon does', ({
    assert,
  }) => {
    for (const moment of [
      DateTime.utc(12345),
      DateTime.utc(-1, 2, 3),
      DateTime.utc(0),
      DateTime.utc(33, 1, 2),
      DateTime.invalid('no moment'),
    ]) {
      assert.equal(inUtc(moment), moment.toFormat('yyyy-MM-dd HH:mm:ss'))
    }
  })

  test('[A20] a datetime in the API format is parsed as by Luxon', ({ assert }) => {
    const check = (text: string) => {
      assert.isTrue(fromUtc(text).equals(DateTime.fromSQL(text, { zone: 'utc' })), text)
    }
    fc.assert(
      fc.property(moments, (moment) => {
        check(apiText(moment))
        check(apiText(moment).slice(0, 10))
      })
    )
    for (const text of ['0001-01-01 00:00:00', '0099-12-31', '9999-12-31 23:59:59']) check(text)
  })

  test('[A20] a stored datetime is parsed as Lucid would read it', ({ assert }) => {
    const two = fc.integer({ min: 0, max: 99 }).map((part) => String(part).padStart(2, '0'))
    const anything = fc
      .tuple(fc.integer({ min: 0, max: 9999 }), two, two, two, two, two)
      .map(
        ([year, ...[month, day, hour, minute, second]]) =>
          `${String(year).padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${second}`
      )
    let quick = 0
    const check = (text: string) => {
      const value = quickMoment(text)
      if (!(value instanceof Date)) return assert.equal(value, text)
      quick += 1
      assert.deepEqual(DateTime.fromJSDate(value).toISO(), DateTime.fromSQL(text).toISO(), text)
    }
    fc.assert(fc.property(moments, (moment) => check(apiText(moment))))
    assert.isAbove(quick, 50)
    fc.assert(fc.property(anything, check))
    for (const text of ['2024-02-30 00:00:00', '2024-01-01 24:00:00', '2024-13-01 00:00:00']) {
      assert.equal(quickMoment(text), text)
    }
    assert.isNull(quickMoment(null))
    assert.equal(quickMoment(1_700_000_000_000), 1_700_000_000_000)
  })

  test('[A20] an invalid datetime in the database is returned unchanged', ({ assert }) => {
    assert.equal(writeDateTime('soon'), 'soon')
    assert.equal(writeDateTime(true), true)
    assert.equal(writeDate('2024-05-06 07:08:09'), '2024-05-06')
  })

  test('[A20] a datetime or date with a trailing line break is refused', ({ assert }) => {
    for (const text of ['2024-05-06\n', '2024-05-06 07:08:09\n', '2024-05-06T07:08:09Z\n']) {
      assert.isNull(readDateTime(text))
      assert.isNull(readDate(text))
    }
  })

  test('[A20] an invalid datetime is refused: {text}')
    .with(
      [
        '',
        '2024',
        '2024-05',
        '2024-5-6',
        '2024-02-30',
        '2023-02-29 10:00:00',
        '2024-05-06 10',
        '2024-05-06 24:01:00',
        '2024-05-06 10:60',
        '2024-05-06 10:00:60',
        '2024-05-06T10:00:00+24:00',
        '2024-05-06T10:00:00+1:00',
        '2024-05-06T10:00:00 +01:00',
        '2024-05-06T10:00:00Europe/Berlin',
        '+012024-05-06T10:00:00Z',
        '0001-01-01T00:00:00+01:00',
        '0000-12-31',
        ' 2024-05-06',
      ].map((text) => ({ text }))
    )
    .run(({ assert }, { text }) => {
      assert.isNull(readDateTime(text))
    })
})

test.group('Dates and times', () => {
  test('[A20] any date is unchanged when it is parsed and formatted', ({ assert }) => {
    fc.assert(
      fc.property(moments, (moment) => {
        const day = moment.toFormat('yyyy-MM-dd')
        assert.equal(readDate(day), day)
        assert.equal(writeDate(moment), day)
        assert.equal(writeDate(moment.startOf('day').toJSDate()), day)
        assert.equal(writeDate(day), day)
      })
    )
  })

  test('[A20] a datetime, or a date that does not exist, is not a date', ({ assert }) => {
    for (const text of ['2024-02-30', '2024-05-06 00:00:00', '2024-5-6', '0000-01-01', '']) {
      assert.isNull(readDate(text), text)
    }
  })

  test('[A20] times of day have the format HH:MM:SS', ({ assert }) => {
    assert.equal(readTime('00:00'), '00:00:00')
    assert.equal(readTime('23:59:59'), '23:59:59')
    for (const text of ['24:00', '1:00', '12:60', '12:00:60', '12:00:00Z', '12', '']) {
      assert.isNull(readTime(text), text)
    }
  })
})
