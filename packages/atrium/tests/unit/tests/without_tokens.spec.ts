import { test } from '@japa/runner'
import { withoutTokens } from '#tests/helpers/without_tokens'

const TOKENS: Record<string, string> = {
  'a sealed value': 'gcm.v1:LZtHbDl3oMcm_50f7CcAUI9QTO.Ann4-oERO_Zit1.EcCgR6lrYDJk9ISY1aROs',
  'a version': 'JzcEmyhdTrC2AnnoaWdIcd',
  'a kept form': '9-fVPDFLzAAnnjJ9jhSIlIcV-H3ffIZj',
  'the secret of an access token':
    'SFNaX0ZRcXRGTjdIAnnqbzFsa3E4bG1VeVpZR1hOdXRTZ2ZNdG5zZDM3ODc1MDAx',
  'a key': '4711c29ab01f4711c29ab01f',
  'a UUID': '8d4c9a6e-1f5b-4711-9c59-2f1a4f7f3b11',
}

test.group('Test helpers | random tokens in compared texts', () => {
  test('a random token is removed from a text: {$self}')
    .with(Object.keys(TOKENS))
    .run(({ assert }, name) => {
      for (const [start, end] of ['""', '=&', '/?', '> ', '.<']) {
        const text = `Bob${start}${TOKENS[name]}${end}Bob`
        assert.equal(withoutTokens(text), `Bob${start}…${end}Bob`)
      }
    })

  test('fractions of a second and timestamps in milliseconds are removed from a text, and dates are not', ({
    assert,
  }) => {
    assert.equal(
      withoutTokens('2001-11-23 21:04:05.471100+00 1764711042123 12:11:10,123 12.4711'),
      '2001-11-23 21:04:05…+00 … 12:11:10… 12.4711'
    )
  })

  test('names, paths and words are not removed from a text', ({ assert }) => {
    const text = `<a href="/admin/AdminUserPreferences/history/4711?from=-Ann" class="very-long-name-of-a-class-9"
      id="count-AdminTokenBlacklist">Ann Ann 4711 PRECIPITEVOLISSIMEVOLMENTE 12345678901234567890</a>`
    assert.equal(withoutTokens(text), text)
  })

  test('an assertion does not fail because a random token contains a short word', ({ assert }) => {
    for (const token of Object.values(TOKENS)) {
      for (const word of ['Ann', '4711']) {
        assert.notInclude(`"${token}"`, word)
        assert.notMatch(`"${token}"`, new RegExp(`${word}|Bob`))
        assert.throws(() => assert.notInclude(`"${token}" ${word}.`, word))
        assert.throws(() => assert.notMatch(`"${token}" ${word}.`, new RegExp(`Bob|${word}`)))
      }
    }
  })

  test('an assertion still finds a complete token, and a token that matches a pattern', ({
    assert,
  }) => {
    for (const token of Object.values(TOKENS)) {
      assert.throws(() => assert.notInclude(`"${token}"`, token))
      assert.throws(() => assert.notInclude(`"${token}"`, token.slice(8, 16)))
      assert.throws(() => assert.notMatch(`"${token}" Ann`, /"[^"]{12,}"/))
      assert.throws(() => assert.notMatch(`"${token}"`, /Ann|4711|"[^"]{12,}"/))
    }
  })

  test('tokens are not removed from the items of a list that is compared', ({ assert }) => {
    assert.throws(() => assert.notInclude(['JzcEmyhdTrC2AnnoaWdIcd', 'Ann'], 'Ann'))
    assert.notInclude(['Anne'], 'Ann')
  })
})
