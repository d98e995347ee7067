import { test } from '@japa/runner'
import edge from 'edge.js'
import { escapeAttributes } from '#upstream/edge_escape_attributes'

const render = (values: object) => edge.renderRaw('<p {{ html.attrs(values) }}>', { values })

test.group('Attributes in templates', () => {
  test('a value can’t end its attribute', async ({ assert }) => {
    for (const value of ['"><img src=x>', "'", '&quot;', '<b>', '{{ 7*7 }}']) {
      const html = await render({ 'title': value, 'data-x': [value], 'class': [value] })
      assert.equal(html.match(/"/g)!.length, 6, value)
      assert.equal(html.match(/[<>]/g)!.length, 2, value)
    }
    assert.equal(await render({ title: '&' }), '<p title="&amp;">')
  })

  test('true is the name alone, nothing is left out, 0 is a value', async ({ assert }) => {
    assert.equal(
      await render({ required: true, hidden: false, title: undefined, min: 0, max: 7 }),
      '<p required min="0" max="7">'
    )
  })

  test('done twice, it escapes once', async ({ assert }) => {
    escapeAttributes(edge)
    assert.equal(await render({ title: '<' }), '<p title="&lt;">')
  })
})
