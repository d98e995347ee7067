import { test } from '@japa/runner'
import fc from 'fast-check'
import { mysqlMatch, postgresMatch } from '#base/database/server_match'
import type { Sql } from '#base/sql/sql'
import { parseLike, patternError, type TextPattern } from '#base/values/text_pattern'

type Match = (text: string, pattern: TextPattern, foldCase: boolean) => Sql

const MATCHES: Array<[name: string, match: Match]> = [
  ['PostgreSQL', postgresMatch],
  ['MySQL', mysqlMatch],
]

/** Characters that a `like` compares at each position of a text: those after a `%`, up to the next. */
function comparedBy({ sql, bindings }: Sql): number {
  const escape = / like \? escape '(.)'/.exec(sql)?.[1]
  if (escape === undefined) return 0
  const literal = new RegExp(`\\${escape}.`, 'gu')
  const [, ...parts] = String(bindings.at(-1)).replace(literal, 'x').split('%')
  return Math.max(0, ...parts.map((part) => [...part].length))
}

const long = 'ab'.repeat(150)

test.group('Text matching on servers', () => {
  test('[A18] on {0} a long suffix is compared only with the end of the text')
    .with(MATCHES)
    .run(({ assert }, [, match]) => {
      for (const foldCase of [false, true]) {
        for (const end of [long, `${long}_`, `${'_'.repeat(400)}b`, `${long}\\%`]) {
          const made = match('t', parseLike(`%${end}`), foldCase)
          const letters = [...end.replace('\\', '')].length
          assert.include(made.sql, `right(t, ${letters})`)
          assert.equal(comparedBy(made), 0)
        }
      }
    })

  test('[A18] on {0} a long text is searched in a single pass')
    .with(MATCHES)
    .run(({ assert }, [, match]) => {
      for (const foldCase of [false, true]) {
        const { sql, bindings } = match('t', parseLike(`%${long}\\%%`), foldCase)
        assert.match(sql, /^(?:strpos|locate)\(/)
        assert.notInclude(sql, ' like ')
        assert.include(bindings, `${long}%`)
      }
    })

  test('[A18] on {0} a short pattern uses LIKE, which can use an index')
    .with(MATCHES)
    .run(({ assert }, [, match]) => {
      for (const like of ['%lamp', '%lamp%', 'lamp%', '%la_mp%', 'l%p']) {
        assert.match(match('t', parseLike(like), false).sql, /^t like \? escape/)
      }
    })

  test('[A18] on {0} no accepted pattern compares more than 100 characters at each position')
    .with(MATCHES)
    .run(({ assert }, [, match]) => {
      const part = fc.oneof(
        fc.constantFrom('%', '%', '%%', '_', 'a', '\\%', '\\_', '\\\\', '|', 'ſ'),
        fc.constantFrom('x'.repeat(99), 'y'.repeat(120), '_'.repeat(60), 'é'.repeat(150))
      )
      fc.assert(
        fc.property(fc.array(part, { maxLength: 6 }), fc.boolean(), (parts, foldCase) => {
          const pattern = parseLike(parts.join(''))
          fc.pre(patternError([{ pattern, foldCase }]) === null)
          assert.isAtMost(comparedBy(match('t', pattern, foldCase)), 100)
        }),
        { numRuns: 500 }
      )
    })
})
