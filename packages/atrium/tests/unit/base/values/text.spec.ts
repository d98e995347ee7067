import { test } from '@japa/runner'
import { characterCount, isStorable, isStorableText } from '#base/values/text'

test.group('Text', () => {
  test('[A8] a text with NUL or a lone surrogate is recognized as not storable', ({ assert }) => {
    assert.isTrue(isStorableText(''))
    assert.isTrue(isStorableText('😀 \u0001 \uffff'))
    assert.isFalse(isStorableText('a\0'))
    assert.isFalse(isStorableText('\ud83d'))
    assert.isFalse(isStorableText('\ude00\ud83d'))
  })

  test('[A8] NUL and lone surrogates are also found inside nested values and names', ({
    assert,
  }) => {
    assert.isTrue(isStorable({ a: [1, null, { b: 'fine' }], c: true }))
    assert.isFalse(isStorable({ a: [1, null, { b: 'not \0 fine' }] }))
    assert.isFalse(isStorable([{ '\0': 1 }]))
    assert.isTrue(isStorable(5))
    assert.isTrue(isStorable(null))
  })

  test('[A8] the length of a text is counted in characters', ({ assert }) => {
    assert.equal(characterCount('a😀ä'), 3)
    assert.equal(characterCount(''), 0)
  })
})
