import { test } from '@japa/runner'
import fc from 'fast-check'
import { daysOf, PERIOD_NAMES } from '#admin/list/relative_days'

const DAY = 24 * 60 * 60 * 1000

test.group('Words for days', () => {
  /* A Wednesday. */
  const now = new Date('2024-03-13T23:30:00Z')

  test('[L1] the word $word stands for days')
    .with([
      { word: 'today', from: '2024-03-13', to: '2024-03-13' },
      { word: 'yesterday', from: '2024-03-12', to: '2024-03-12' },
      { word: 'last_7_days', from: '2024-03-07', to: '2024-03-13' },
      { word: 'last_30_days', from: '2024-02-13', to: '2024-03-13' },
      { word: 'this_week', from: '2024-03-11', to: '2024-03-17' },
      { word: 'this_month', from: '2024-03-01', to: '2024-03-31' },
      { word: 'last_month', from: '2024-02-01', to: '2024-02-29' },
      { word: 'this_year', from: '2024-01-01', to: '2024-12-31' },
      { word: 'last_year', from: '2023-01-01', to: '2023-12-31' },
    ])
    .run(({ assert }, { word, from, to }) => {
      const days = daysOf(word, now)!
      assert.deepEqual([days.from, days.to], [from, to])
      assert.equal(days.begin, `${from} 00:00:00`)
    })

  test('[L1] days begin and end in the time zone', ({ assert }) => {
    const berlin = daysOf('today', now, 'Europe/Berlin')!
    assert.deepEqual(berlin, {
      from: '2024-03-14',
      to: '2024-03-14',
      begin: '2024-03-13 23:00:00',
      end: '2024-03-14 23:00:00',
    })
    /* The day on which clocks change has 23 hours. */
    const short = daysOf('today', new Date('2024-03-31T12:00:00Z'), 'Europe/Berlin')!
    assert.deepEqual([short.begin, short.end], ['2024-03-30 23:00:00', '2024-03-31 22:00:00'])
  })

  test('[L1] other words are none')
    .with(['', 'Today', 'tomorrow', 'last_8_days', '__proto__', 'constructor', 'today '])
    .run(({ assert }, word) => {
      assert.isNull(daysOf(word, now))
    })

  test('[L1] a period begins before it ends, and the last days hold today', ({ assert }) => {
    const moment = fc.date({
      min: new Date('1990-01-01'),
      max: new Date('2090-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moment, fc.constantFrom(...PERIOD_NAMES), (at, word) => {
        const { from, to, begin, end } = daysOf(word, at)!
        const [start, stop] = [begin, end].map((text) => Date.parse(`${text.replace(' ', 'T')}Z`))
        const today = at.toISOString().slice(0, 10)
        assert.isTrue(from <= to && start < stop)
        assert.equal(Date.parse(to) + DAY, stop)
        const isPast = ['yesterday', 'last_month', 'last_year'].includes(word)
        assert.equal(from <= today && today <= to, !isPast)
        if (word === 'this_week') assert.equal(new Date(from).getUTCDay(), 1)
        if (word === 'last_7_days') assert.equal(stop - start, 7 * DAY)
      })
    )
  })
})
