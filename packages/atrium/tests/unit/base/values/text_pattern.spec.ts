import { test } from '@japa/runner'
import fc from 'fast-check'
import {
  ANY,
  caseVariants,
  comparedLength,
  foldLetter,
  ONE,
  parseLike,
  partsOf,
} from '#base/values/text_pattern'
import { ANY_CHARACTER } from '#tests/helpers/any_character'

/** Every character with a case, and all their forms. */
function casedCharacters(): string[] {
  const cased: string[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (/\p{Cased}|\p{Changes_When_Casemapped}/u.test(character)) cased.push(character)
  }
  return cased
}

test.group('Patterns of like filters', () => {
  test('[A18] % matches any text and _ one character', ({ assert }) => {
    assert.deepEqual(parseLike('a%b_c'), ['a', ANY, 'b', ONE, 'c'])
    assert.deepEqual(parseLike('%%__'), [ANY, ANY, ONE, ONE])
    assert.deepEqual(parseLike(''), [])
  })

  test('[A18] a backslash escapes the next character', ({ assert }) => {
    assert.deepEqual(parseLike('100\\%'), ['100%'])
    assert.deepEqual(parseLike('\\_\\%%'), ['_%', ANY])
    assert.deepEqual(parseLike('a\\\\%'), ['a\\', ANY])
    assert.deepEqual(parseLike('\\a\\😀'), ['a😀'])
  })

  test('[A18] a backslash at the end is literal', ({ assert }) => {
    assert.deepEqual(parseLike('a\\'), ['a\\'])
    assert.deepEqual(parseLike('\\'), ['\\'])
  })

  test('[A18] every text can be escaped to a pattern that matches only it', ({ assert }) => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        assert.deepEqual(parseLike(text.replace(/[\\%_]/g, '\\$&')), text === '' ? [] : [text])
      })
    )
  })

  test('[A18] if case is ignored, {letter} matches its other cases and no other character')
    .with([
      { letter: 'a', forms: ['A', 'a'] },
      { letter: 'Ä', forms: ['Ä', 'ä'] },
      { letter: 'ß', forms: ['ß', 'ẞ'] },
      { letter: 'Σ', forms: ['Σ', 'ς', 'σ'] },
      { letter: 'k', forms: ['K', 'k', '\u212A'] },
      { letter: '\u01C5', forms: ['\u01C4', '\u01C5', '\u01C6'] },
      { letter: '𐐨', forms: ['𐐀', '𐐨'] },
      /* Two characters for one letter, whose capital has three characters. */
      { letter: '\u0390', forms: ['\u0390', '\u1FD3'] },
      { letter: '\uFB05', forms: ['\uFB05', '\uFB06'] },
    ])
    .run(({ assert }, { letter, forms }) => {
      assert.sameMembers(caseVariants(letter), forms)
    })

  test('[A18] the character {$self} matches only itself when case is ignored')
    .with(['7', '%', '-', ']', '^', ' ', '中', '😀', 'ı', 'İ'])
    .run(({ assert }, character) => {
      assert.deepEqual(caseVariants(character), [character])
    })

  test('[A18] letters with and without an accent never match each other', ({ assert }) => {
    assert.notInclude(caseVariants('a'), 'ä')
    assert.notInclude(caseVariants('É'), 'e')
    assert.notInclude(caseVariants('ü'), 'u')
  })

  test('[A18] every character has the case variants that a regular expression with the flag i matches', ({
    assert,
  }) => {
    const cased = casedCharacters()
    assert.isAbove(cased.length, 4000)
    const text = cased.join('')
    const wrong = cased.filter((character) => {
      const forms = text.match(new RegExp(`[${character}]`, 'giu'))!
      return forms.toSorted().join() !== caseVariants(character).toSorted().join()
    })
    assert.deepEqual(wrong, [])
  })

  test('[A18] all case variants of a letter are folded to the same one of them', ({ assert }) => {
    for (const character of casedCharacters()) {
      const { folded, forms } = foldLetter(character)
      assert.include(forms, folded)
      for (const form of forms) assert.equal(foldLetter(form).folded, folded)
      if (forms.some((form) => form <= '\x7f')) assert.match(folded, /^[a-z]$/)
    }
    assert.equal(foldLetter('%').folded, '%')
  })

  test('[A18] a pattern is split into parts at each %', ({ assert }) => {
    assert.deepEqual(partsOf([]), [[]])
    assert.deepEqual(partsOf(['a😀', ONE]), [['a', '😀', ONE]])
    assert.deepEqual(partsOf([ANY, ANY, 'ab', ANY]), [[], ['a', 'b'], []])
    assert.deepEqual(partsOf(['', ANY, '', ANY, ONE]), [[], [], [ONE]])
  })

  test('[A18] the pattern {pattern} compares {length} characters at each position')
    .with([
      { pattern: 'abc', length: 0 },
      { pattern: 'a_c%', length: 0 },
      { pattern: '%a_c', length: 0 },
      { pattern: '%%abc%', length: 0 },
      { pattern: '%', length: 0 },
      { pattern: '%a_c%', length: 3 },
      { pattern: 'abcd%ef', length: 2 },
      { pattern: '%ab%cde%f', length: 3 },
    ])
    .run(({ assert }, { pattern, length }) => {
      assert.equal(comparedLength(parseLike(pattern)), length)
    })
})
