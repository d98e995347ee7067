import { test } from '@japa/runner'
import { prettyJson } from '#admin/text/pretty_json'
import { shownValue } from '#admin/events/pages/logged_value'
import { adminSite } from '#tests/helpers/admin'

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
const indented = (value: unknown) => JSON.stringify(value, null, 2)

test.group('prettyJson', () => {
  test('[B17] JSON is indented', ({ assert }) => {
    const list = Array.from({ length: 2000 }, (_, index) => `Number ${index}`)
    for (const value of [{ a: [1, { b: null }] }, [[[1]]], JSON.parse(nested(32)), list, 'x', 5]) {
      assert.equal(prettyJson(value), indented(value))
    }
  })

  test('[B17] JSON that would mostly grow by spaces is not indented', ({ assert }) => {
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

  test('[B17, E4] very deeply nested values of the log are shown', async ({ assert }) => {
    const { kind, text, whole } = shownValue(await adminSite(), JSON.parse(nested(20_000)))
    assert.equal(kind, 'data')
    assert.match(text, /^\[{199}…$/)
    assert.isTrue(whole === nested(20_000))
  })
})
