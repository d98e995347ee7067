import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import {
  readExpiry,
  readLifetime,
  readTokenName,
} from '#admin/authentication/access_tokens/token_terms'

test.group('Terms of a token', () => {
  test('[P10] a name is one visible line of 64 characters at most: {text}')
    .with([
      { text: ' ci ', expected: 'ci' },
      { text: 'Ärger & co. 🚀', expected: 'Ärger & co. 🚀' },
      { text: '🚀'.repeat(64), expected: '🚀'.repeat(64) },
      { text: 'x'.repeat(65), expected: undefined },
      { text: '  ', expected: undefined },
      { text: 'a\nb', expected: undefined },
      { text: 'a\u202eb', expected: undefined },
      { text: 'a\0', expected: undefined },
      { text: 'a\ud800', expected: undefined },
    ])
    .run(({ assert }, { text, expected }) => {
      if (expected === undefined) assert.throws(() => readTokenName(text), /name/)
      else assert.equal(readTokenName(text), expected)
    })

  test('[P12] {text} is so many seconds from now: {seconds}')
    .with([
      { text: '30 days', seconds: 30 * 86_400 },
      { text: ' 12h ', seconds: 12 * 3600 },
      { text: '1 year', seconds: 31_557_600 },
    ])
    .run(({ assert }, { text, seconds }) => {
      const expected = DateTime.utc().plus({ seconds }).toSeconds()
      assert.closeTo(readExpiry(text).toSeconds(), expected, 60)
    })

  test('[P10] a token expires in 90 days by default; only never means never', ({ assert }) => {
    for (const text of [undefined, '', ' ']) {
      assert.closeTo(readLifetime(text)!.diffNow('days').days, 90, 0.01)
    }
    assert.closeTo(readLifetime('30 days')!.diffNow('days').days, 30, 0.01)
    assert.isNull(readLifetime('never'))
    assert.isNull(readLifetime(' Never '))
    assert.throws(() => readLifetime('nevermore'), /say 30 days, 12 hours, 1 year or never/)
  })

  test('[P12] {$self} is not a valid lifetime')
    .with(['', '30', '0', '0 days', '-1 day', 'soon', '1 fortnight', '11 years', '1e99 years'])
    .run(({ assert }, text) => {
      assert.throws(() => readExpiry(text), /can be valid; say 30 days|is too long/)
    })
})
