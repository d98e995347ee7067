import { test } from '@japa/runner'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import {
  clockTime,
  fitsInput,
  isSameMoment,
  localText,
  normalMoment,
  readInForm,
  readLocal,
  zoneLabel,
  writtenPeriod,
} from '#admin/time/local_time'
import { TIME_ZONES } from '#admin/time/time_zone'
import { runs } from '#tests/helpers/random_runs'

const BERLIN = 'Europe/Berlin'
const ODD = [
  BERLIN,
  'America/Sao_Paulo',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
]

const api = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ')
const moment = (from: string, to: string) =>
  fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }).map(api)

test.group('Admin | local time', () => {
  test('[R12] a time is shown in the local time of the zone, and parsed back: {zone} {utc}')
    .with([
      { zone: 'UTC', utc: '2026-07-01 10:00:00', text: '2026-07-01T10:00:00' },
      { zone: BERLIN, utc: '2026-07-01 10:00:00', text: '2026-07-01T12:00:00' },
      { zone: BERLIN, utc: '2026-03-29 00:59:59', text: '2026-03-29T01:59:59' },
      { zone: BERLIN, utc: '2026-03-29 01:00:00', text: '2026-03-29T03:00:00' },
      { zone: BERLIN, utc: '2026-10-25 00:30:00', text: '2026-10-25T02:30:00+02:00' },
      { zone: BERLIN, utc: '2026-10-25 01:30:00', text: '2026-10-25T02:30:00+01:00' },
      { zone: BERLIN, utc: '2026-10-25 02:00:00', text: '2026-10-25T03:00:00' },
      { zone: 'America/Sao_Paulo', utc: '2026-07-01 02:00:00', text: '2026-06-30T23:00:00' },
      { zone: 'America/Sao_Paulo', utc: '2018-02-18 02:30:00', text: '2018-02-17T23:30:00-03:00' },
      { zone: 'Pacific/Kiritimati', utc: '2026-12-31 10:00:00', text: '2027-01-01T00:00:00' },
      { zone: 'Asia/Kolkata', utc: '2026-01-01 00:00:00', text: '2026-01-01T05:30:00' },
      { zone: BERLIN, utc: '9999-12-31 23:59:59', text: '9999-12-31T23:59:59Z' },
    ])
    .run(({ assert }, { zone, utc, text }) => {
      assert.equal(localText(utc, zone), text)
      assert.equal(readLocal(text, zone), utc)
    })

  test('[R12] a text that is not a time is shown unchanged and refused as input', ({ assert }) => {
    assert.equal(localText('some time', BERLIN), 'some time')
    assert.isNull(readLocal('some time', BERLIN))
    assert.isNull(readLocal('2026-02-30T10:00', BERLIN))
    assert.isNull(clockTime('some time', BERLIN))
  })

  test(
    '[R12] a typed time can omit the seconds or the time of day, and can contain an offset: {text}'
  )
    .with([
      { text: '2026-07-01T12:00', utc: '2026-07-01 10:00:00' },
      { text: '2026-07-01 12:00:30', utc: '2026-07-01 10:00:30' },
      { text: '2026-07-01', utc: '2026-06-30 22:00:00' },
      { text: '2026-07-01T12:00Z', utc: '2026-07-01 12:00:00' },
      { text: '2026-10-25 02:30+01:00', utc: '2026-10-25 01:30:00' },
    ])
    .run(({ assert }, { text, utc }) => assert.equal(readLocal(text, BERLIN), utc))

  test('[R12] a skipped local time is refused with the next valid one, and a repeated one with both offsets', ({
    assert,
  }) => {
    assert.throws(
      () => readLocal('2026-03-29T02:30', BERLIN),
      /must be a time that exists in Europe\/Berlin: .* next one is 2026-03-29T03:00:00$/
    )
    assert.throws(
      () => readLocal('2026-10-25T02:30', BERLIN),
      /the first is 2026-10-25T02:30:00\+02:00, the second 2026-10-25T02:30:00\+01:00$/
    )
    /* A whole day was left out. */
    assert.throws(
      () => readLocal('1994-12-31T12:00', 'Pacific/Kiritimati'),
      /next one is 1995-01-01T00:00:00$|next one is 1995-01-01T00:40:00$/
    )
  })

  test('[R12] an ambiguous local time counts as equal to either of its two times', ({ assert }) => {
    assert.isTrue(isSameMoment('2026-10-25T02:30:00+01:00', '2026-10-25T02:30', BERLIN))
    assert.isTrue(isSameMoment('2026-10-25T02:30:00+02:00', '2026-10-25 02:30:00', BERLIN))
    assert.isFalse(isSameMoment('2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', BERLIN))
    assert.isTrue(isSameMoment('some time', 'some time', BERLIN))
    assert.isFalse(isSameMoment('some time', 'another', BERLIN))
  })

  test('[R12, R15] texts of the same moment in different zones have the same normalized time', ({
    assert,
  }) => {
    const summer = '2026-07-01T10:00:00.000Z'
    assert.equal(normalMoment('2026-07-01T12:00', BERLIN), summer)
    assert.equal(normalMoment('2026-07-01 07:00:00', 'America/Sao_Paulo'), summer)
    assert.equal(normalMoment('2026-07-01T12:00:00+02:00', 'UTC'), summer)
    assert.equal(normalMoment('2026-10-25T02:30', BERLIN), '2026-10-25T02:30')
    assert.equal(normalMoment('some time', BERLIN), 'some time')
  })

  test('[R12] a datetime-local input can hold a time without an offset, unless that time is ambiguous', ({
    assert,
  }) => {
    assert.isTrue(fitsInput('2026-07-01T12:00', BERLIN))
    assert.isTrue(fitsInput('2026-03-29T02:30', BERLIN))
    assert.isFalse(fitsInput('2026-10-25T02:30', BERLIN))
    assert.isFalse(fitsInput('2026-07-01T12:00:00Z', BERLIN))
    assert.isFalse(fitsInput('some time', BERLIN))
  })

  test('[R12] the label of a zone contains the offset at the given time', ({ assert }) => {
    assert.equal(zoneLabel('2026-07-01T12:00', BERLIN), 'Europe/Berlin, UTC+2')
    assert.equal(zoneLabel('2026-10-25T02:30:00+01:00', BERLIN), 'Europe/Berlin, UTC+1')
    assert.equal(zoneLabel('2026-01-01T00:00', 'Asia/Kolkata'), 'Asia/Kolkata, UTC+5:30')
    assert.equal(zoneLabel(undefined, BERLIN), 'Europe/Berlin')
    assert.equal(zoneLabel('2026-10-25T02:30', BERLIN), 'Europe/Berlin')
    assert.equal(zoneLabel('2026-01-01T00:00', 'UTC'), 'UTC')
    assert.deepEqual(clockTime('1893-01-01 00:00:00', BERLIN), {
      time: '1893-01-01 00:53:28',
      offset: 'UTC+0:53:28',
    })
  })

  test("[R12, A28] a local time in a schema's text format is converted to UTC in the same format", ({
    assert,
  }) => {
    assert.equal(readInForm('2026-07-01T12:00', BERLIN), '2026-07-01T10:00')
    assert.equal(readInForm('2026-07-01 12:00:00', BERLIN), '2026-07-01 10:00:00')
    assert.equal(readInForm('1.7.2026 12:00', BERLIN), '1.7.2026 12:00')
    assert.equal(readInForm('2026-07-01T12:00', 'UTC'), '2026-07-01T12:00')
  })

  test('[R12] random times in random zones are parsed back from their texts', () => {
    const zones = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...TIME_ZONES))
    const moments = fc.oneof(
      moment('1960-01-01', '2040-01-01'),
      /* Around changes of summer time */
      moment('2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'),
      moment('0001-01-01', '9999-12-31T23:59:59Z')
    )
    fc.assert(
      fc.property(moments, zones, (utc, zone) => readLocal(localText(utc, zone), zone) === utc),
      { numRuns: runs(2000) }
    )
  })

  test('[G2.4] the period from {from} to {to} is shown as {shown}')
    .with([
      { from: '2025-01-01', to: '2025-11-29', shown: '1 Jan – 29 Nov 2025' },
      { from: '2025-11-01', to: '2025-11-29', shown: '1 – 29 Nov 2025' },
      { from: '2025-12-25', to: '2026-01-03', shown: '25 Dec 2025 – 3 Jan 2026' },
      { from: '2025-11-29', to: '2025-11-29', shown: '29 Nov 2025' },
    ])
    .run(({ assert }, { from, to, shown }) => {
      const written = writtenPeriod(DateTime.fromISO(from), DateTime.fromISO(to))
      assert.equal(written.replaceAll('\u00A0', ' '), shown)
      assert.notInclude(written, ' ')
    })
})
