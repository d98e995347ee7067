import { test } from '@japa/runner'
import { prettyJson } from '#admin/text/pretty_json'
import { shownValue } from '#admin/events/pages/shown_value'
import { adminSite } from '#tests/helpers/admin'

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
const indented = (value: unknown) => JSON.stringify(value, null, 2)

test.group('JSON for people', () => {
  test('[B17] it is indented', ({ assert }) => {
    const list = Array.from({ length: 2000 }, (_, index) => `Number ${index}`)
    for (const value of [{ a: [1, { b: null }] }, [[[1]]], JSON.parse(nested(32)), list, 'x', 5]) {
      assert.equal(prettyJson(value), indented(value))
    }
  })

  test('[B17] what would grow too much of it is not', ({ assert }) => {
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

  test('[B17, E4] a value of the log that nests deeper than anything recursive gets to is shown', async ({
    assert,
  }) => {
    const { kind, text, whole } = shownValue(await adminSite(), JSON.parse(nested(20_000)))
    assert.equal(kind, 'data')
    assert.match(text, /^\[{199}…$/)
    assert.isTrue(whole === nested(20_000))
  })
})
