import { test } from '@japa/runner'
import { jsonError, prettyJson } from '#admin/text/json_text'
import { shownValue } from '#admin/event_log/comparison'
import { adminSite } from '#tests/helpers/admin'

test.group('Admin | position of JSON errors', () => {
  test('[R13] a JSON error has line, column and reason')
    .with([
      ['{"a":1 "b":2}', 'line 1, column 8: expected a comma'],
      ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected a comma'],
      ['{"a" 1}', 'line 1, column 6: expected a colon'],
      ['[1,2', 'line 1, column 5: expected a closing bracket ]'],
      ['{"a":1', 'line 1, column 7: expected a closing brace }'],
      ['[1,]', 'line 1, column 4: expected a value'],
      ['{a:1}', 'line 1, column 2: expected a name in double quotes in the place of a'],
      ['{"a":tru}', 'line 1, column 6: expected a value in the place of tru'],
      ['[1]x', 'line 1, column 4: expected nothing more in the place of x'],
      ['["😀" 1]', 'line 1, column 6: expected a comma'],
      ['[1 /* c */]', 'line 1, column 4: JSON has no comments'],
      ['["a', 'line 1, column 2: this text has no closing quotation mark on its line'],
    ])
    .run(({ assert }, [text, error]) => {
      assert.throws(() => JSON.parse(text))
      assert.equal(jsonError(text), error)
    })

  test('[R13] valid JSON has no error', ({ assert }) => {
    assert.isUndefined(jsonError('{"a":[1,2e3,"\\u00e4",null]}'))
  })
})

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
const indented = (value: unknown) => JSON.stringify(value, null, 2)

test.group('prettyJson()', () => {
  test('[B17] JSON of ordinary depth and length is indented', ({ assert }) => {
    const list = Array.from({ length: 2000 }, (_, index) => `Number ${index}`)
    for (const value of [{ a: [1, { b: null }] }, [[[1]]], JSON.parse(nested(32)), list, 'x', 5]) {
      assert.equal(prettyJson(value), indented(value))
    }
  })

  test('[B17] JSON is not indented if it is deep, long or would mostly consist of spaces', ({
    assert,
  }) => {
    for (const text of [
      nested(33),
      nested(20_000),
      nested(30, `${'[1],'.repeat(10_000)}[1]`),
      `["${'x'.repeat(100_000)}"]`,
      JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index)),
    ]) {
      assert.isTrue(prettyJson(JSON.parse(text)) === text, text.slice(0, 50))
    }
  })

  test('[B17, E4] very deeply nested JSON of the log is shown', async ({ assert }) => {
    const { kind, text, whole } = shownValue(await adminSite(), JSON.parse(nested(20_000)))
    assert.equal(kind, 'data')
    assert.match(text, /^\[{199}…$/)
    assert.isTrue(whole === nested(20_000))
  })
})
