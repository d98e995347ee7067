import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { matchTest, toGlob } from '#base/database/sqlite/sqlite_match'
import { ANY, caseVariants, parseLike, type TextPattern } from '#base/values/text_pattern'
import { likeExpression } from '#tests/helpers/memory_list'
import { runs } from '#tests/helpers/random_runs'

/** Special characters of GLOB, LIKE and SQL, and letters with unusual cases. */
const SIGNS = [
  ...`%_\\*?[]^-!'"\`;,aAbBäÄßẞsSſıiIİkKσςΣ中😀 \u212A\u01C4\u01C5\u01C6\u0301\uFB05\uFB06`,
]

/* Longer than the texts that GLOB is used for. */
const FILLER = '.'.repeat(4001)

const text = fc.string({ unit: fc.constantFrom(...SIGNS), maxLength: 6 })
const pattern = fc.string({ unit: fc.constantFrom(...SIGNS, '%', '%', '_', '_'), maxLength: 6 })

/** 1 or 0; null for null. */
async function matches(value: unknown, like: TextPattern, foldCase: boolean) {
  const { sql, bindings } = matchTest('given.value', like, foldCase)
  const [row] = await db.rawQuery(`select (${sql}) as matches from (select ? as value) as given`, [
    ...(bindings as string[]),
    value as string,
  ])
  return row.matches
}

/** Reference implementation, which is fast enough for short texts only. */
async function globs(value: unknown, like: TextPattern, foldCase: boolean) {
  const [row] = await db.rawQuery('select ? glob ? as matches', [
    value as string,
    toGlob(like, foldCase),
  ])
  return row.matches
}

function sqlOf(like: string, foldCase = true): string {
  return matchTest('specimens.label', parseLike(like), foldCase).sql
}

test.group('Text matching in SQLite', () => {
  test('[A18] a pattern matches the same texts as its regular expression', async ({ assert }) => {
    await fc.assert(
      fc.asyncProperty(text, pattern, fc.boolean(), async (value, like, foldCase) => {
        const expected = likeExpression(like, foldCase ? 'isu' : 'su').test(value)
        const found = await matches(value, parseLike(like), foldCase)
        assert.equal(found, Number(expected), `${value} like ${like}`)
      }),
      { numRuns: runs(2000) }
    )
  })

  test('[A18] a pattern matches a long text if it matches the same text without the filler around it', async ({
    assert,
  }) => {
    await fc.assert(
      fc.asyncProperty(text, pattern, fc.boolean(), async (value, like, foldCase) => {
        const long = FILLER + value + FILLER
        const expression = likeExpression(`%${like}%`, foldCase ? 'isu' : 'su')
        /* The pattern has no full stop, and fewer characters than six of them could match. */
        const expected = expression.test(`......${value}......`)
        const found = await matches(long, parseLike(`%${like}%`), foldCase)
        assert.equal(found, Number(expected), `${value} like %${like}%`)
      }),
      { numRuns: runs(500) }
    )
  })

  test('[A18] any part of a text matches in any case, also at its beginning and end', async ({
    assert,
  }) => {
    const unit = fc.constantFrom(...SIGNS)
    const letters = fc.string({ unit })
    await fc.assert(
      fc.asyncProperty(letters, letters, letters, async (before, value, after) => {
        for (const foldCase of [false, true]) {
          assert.equal(await matches(before + value + after, [ANY, value, ANY], foldCase), 1)
          assert.equal(await matches(value + after, [value, ANY], foldCase), 1)
          assert.equal(await matches(before + value, [ANY, value], foldCase), 1)
          assert.equal(await matches(value, [value], foldCase), 1)
        }
      }),
      { numRuns: runs(300) }
    )
  })

  test('[A18] every letter with cases matches all of them, and not the same letter with an accent', async ({
    assert,
  }) => {
    const wrong: string[] = []
    for (const letters of casedGroups()) {
      /* A separator that is not a letter keeps the letters apart. */
      const long = `${FILLER}|${letters.join('|')}|`
      for (const letter of letters) {
        const like: TextPattern = [ANY, letters.map(() => `|${letter}`).join('') + '|', ANY]
        if ((await matches(long, like, true)) !== 1) wrong.push(letter)
      }
      const other: TextPattern = [ANY, `|${letters[0]}\u0301`, ANY]
      if ((await matches(long, other, true)) !== 0) wrong.push(letters[0])
    }
    assert.deepEqual(wrong, [])
  })

  test('[A18] a pattern on null is null, and values of other types are matched as text')
    .with([null, 0, 12.5, -7, '', '12', Buffer.from('aKb'), Buffer.from(''), 'a\nb'])
    .run(async ({ assert }, value) => {
      for (const like of ['%', '%%', '', '%2%', '%2', '1%', '%k%', '%1_5%', '_%', '%\n%', '%kK%']) {
        for (const foldCase of [false, true]) {
          const given = parseLike(like)
          const expected = await globs(value, given, foldCase)
          assert.strictEqual(await matches(value, given, foldCase), expected, like)
        }
      }
    })

  test('[A18] a pattern with the maximum number of different letters ignores case', async ({
    assert,
  }) => {
    const groups = casedGroups()
      .sort((one, two) => two.length - one.length)
      .slice(0, 100)
    const first = groups.map(([letter]) => letter).join('')
    const last = groups.map((letters) => letters.at(-1)).join('')
    assert.equal(await matches(FILLER + first, [ANY, last, ANY], true), 1)
    assert.equal(await matches(FILLER + first, [ANY, last, ANY, '.', ANY], true), 0)
    assert.equal(await matches(first + FILLER, [ANY, last, ANY, '.', ANY], true), 1)
  })

  test('[A18] a pattern with 500 wildcards matches a text with all of its characters, and no shorter one', async ({
    assert,
  }) => {
    const like = parseLike('%ä'.repeat(500))
    assert.equal(await matches('ä'.repeat(499), like, true), 0)
    assert.equal(await matches('Ä'.repeat(500), like, true), 1)
  })

  test('[A18] GLOB is used only if text and pattern are short', ({ assert }) => {
    assert.equal(sqlOf('%Oak%'), 'instr(lower(replace(specimens.label, ?, ?)), ?) > 0')
    assert.equal(sqlOf('%12%'), 'instr(specimens.label, ?) > 0')
    assert.equal(sqlOf('%Ask%', false), 'instr(specimens.label, ?) > 0')
    assert.notInclude(sqlOf('%' + 'säüö'.repeat(9) + '%'), 'glob')
    assert.notInclude(sqlOf('%' + 'a_'.repeat(20) + '%'), 'glob')
    const ifShort = 'case when octet_length(specimens.label) <= 4000 then specimens.label glob ? '
    assert.isTrue(sqlOf('%äöü%').startsWith(ifShort))
    assert.isTrue(sqlOf('%äöü_%').startsWith(ifShort))
    for (const foldCase of [true, false]) {
      assert.equal(sqlOf('%äöü', foldCase), 'substr(cast(specimens.label as text), -3) glob ?')
      assert.equal(sqlOf('äöü%', foldCase), 'specimens.label glob ?')
      assert.equal(sqlOf('äöü', foldCase), 'specimens.label glob ?')
    }
  })
})

/** Every set of characters that are cases of one letter. */
function casedGroups(): string[][] {
  const groups = new Map<string, string[]>()
  for (let code = 0x41; code <= 0x1e943; code++) {
    if (code === 0xd800) code = 0xe000
    const forms = caseVariants(String.fromCodePoint(code))
    if (forms.length > 1) groups.set(forms.toSorted()[0], forms)
  }
  return [...groups.values()]
}
