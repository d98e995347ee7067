import { test } from '@japa/runner'
import fc from 'fast-check'
import { asMarkup } from '#admin/text/markup'

test.group('Texts as markup', () => {
  test('stand for the same text, in Latin-1 without anything that is markup', ({ assert }) => {
    const texts = fc.string({
      unit: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...`<>&"'–…\``)),
    })
    fc.assert(
      fc.property(texts, (text) => {
        const markup = asMarkup(text)
        assert.notMatch(markup, /[<>"'`\u{100}-\u{10ffff}]|&(?!#\d+;)/u)
        const read = markup.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
        assert.equal(read, text)
      })
    )
    assert.equal(asMarkup('1–10 of <b>'), '1&#8211;10 of &#60;b&#62;')
  })
})
