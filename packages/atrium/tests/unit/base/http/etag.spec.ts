import { test } from '@japa/runner'
import fc from 'fast-check'
import { Problem } from '#crud'
import { matchesStrongly, matchesWeakly, parseTags, strongTag, weakTag } from '#base/http/etag'
import { runs } from '#tests/helpers/random_runs'

/** Characters that RFC 9110 allows between the quotes. */
const opaque = fc.string({
  unit: fc
    .integer({ min: 0x21, max: 0xff })
    .filter((code) => code !== 0x22 && code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
})
const tag = fc
  .tuple(fc.constantFrom('', 'W/'), opaque)
  .map(([prefix, text]) => `${prefix}"${text}"`)
const space = fc.constantFrom('', ' ', '\t', '  \t')
const separator = fc
  .tuple(space, fc.constantFrom(',', ',,', ', ,'), space)
  .map((parts) => parts.join(''))

test.group('Entity tags', () => {
  test('[Q6] any list of entity tags is unchanged when it is written and parsed', ({ assert }) => {
    const list = fc.array(fc.tuple(tag, separator), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(list, space, space, (parts, before, after) => {
        const last = parts.length - 1
        const header = parts.map(([one, comma], index) => (index < last ? one + comma : one))
        const read = parseTags('If-Match', before + header.join('') + after)
        assert.deepEqual(
          read,
          parts.map(([one]) => one)
        )
      })
    )
  })

  test('[Q6] any header value is parsed, or is a 400 that names the header', ({ assert }) => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(tag, separator, fc.string())).map((parts) => parts.join(''))
    )
    fc.assert(
      fc.property(text, (header) => {
        try {
          const read = parseTags('If-None-Match', header)
          assert.isNotEmpty(read)
          for (const one of read) assert.match(one, read === '*' ? /^\*$/ : /^(W\/)?"[^"]*"$/)
        } catch (error) {
          assert.instanceOf(error, Problem)
          assert.equal((error as Problem).status, 400)
          assert.include((error as Problem).message, 'If-None-Match')
        }
      }),
      { numRuns: runs(500) }
    )
  })

  test('[Q6] a malformed list of entity tags is refused: {$self}')
    .with([
      '',
      ' ',
      ',',
      ', ,',
      'abc',
      '"abc',
      'abc"',
      '"a" "b"',
      '"a"b',
      'w/"a"',
      'W/ "a"',
      'W/a',
      '"a b"',
      '"a", *',
      '**',
      '*, "a"',
      "'a'",
    ])
    .run(({ assert }, header) => {
      assert.throws(() => parseTags('If-Match', header), /^The header If-Match is malformed/)
    })

  test('[Q6] a long header with an error at its end is refused in linear time', ({ assert }) => {
    const header = ' '.repeat(8000) + '"a"' + ' ,'.repeat(4000) + '"'
    assert.throws(() => parseTags('If-Match', header), /malformed/)
  })

  test('[Q6] a comma inside an entity tag does not separate tags', ({ assert }) => {
    assert.deepEqual(parseTags('If-Match', '"a,b", W/"c"'), ['"a,b"', 'W/"c"'])
    assert.equal(parseTags('If-Match', ' * '), '*')
  })

  test('[Q6] the strong comparison matches no weak tag on either side', ({ assert }) => {
    assert.isTrue(matchesStrongly(['"b"', '"a"'], '"a"'))
    assert.isTrue(matchesStrongly('*', 'W/"a"'))
    assert.isFalse(matchesStrongly(['W/"a"'], '"a"'))
    assert.isFalse(matchesStrongly(['W/"a"'], 'W/"a"'))
    assert.isFalse(matchesStrongly(['"a"'], 'W/"a"'))
    assert.isFalse(matchesStrongly(['"A"'], '"a"'))
  })

  test('[Q6] the weak comparison only compares the quoted part', ({ assert }) => {
    for (const named of ['"a"', 'W/"a"']) {
      for (const one of ['"a"', 'W/"a"']) assert.isTrue(matchesWeakly(['"x"', named], one))
      assert.isFalse(matchesWeakly([named], '"b"'))
    }
    assert.isTrue(matchesWeakly('*', '"a"'))
  })

  test('[Q6] equal texts have the same entity tag, which is a valid header value', ({ assert }) => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        assert.equal(strongTag(one) === strongTag(other), one === other)
        assert.deepEqual(parseTags('If-Match', strongTag(one)), [strongTag(one)])
        assert.equal(weakTag(one), `W/${strongTag(one)}`)
      })
    )
  })
})
