import { test } from '@japa/runner'
import edge, { Edge } from 'edge.js'
import { escaped } from '#admin/text/markup'
import { escapeAttributes } from '#upstream/edge_escape_attributes'

const render = (values: object) => edge.renderRaw('<p {{ html.attrs(values) }}>', { values })

test.group('Attributes in templates', () => {
  test('Edge still does not escape attributes', async ({ assert }) => {
    const html = await new Edge().renderRaw('<p {{ html.attrs({ title: value, min: 0 }) }}>', {
      value: '"><b>',
    })
    assert.equal(html, '<p title=""><b>">')
  })

  test('a value can’t end its attribute', async ({ assert }) => {
    for (const value of ['"><img src=x>', "'", '&quot;', '<b>', '{{ 7*7 }}']) {
      const html = await render({ 'title': value, 'data-x': [value], 'class': [value] })
      assert.equal(html.match(/"/g)!.length, 6, value)
      assert.equal(html.match(/[<>]/g)!.length, 2, value)
    }
    assert.equal(await render({ title: '&' }), '<p title="&amp;">')
  })

  test('true renders the name alone, false nothing, and 0 a value', async ({ assert }) => {
    assert.equal(
      await render({ required: true, hidden: false, title: undefined, min: 0, max: 7 }),
      '<p required min="0" max="7">'
    )
  })

  test('applying the patch twice escapes once', async ({ assert }) => {
    escapeAttributes(edge, escaped)
    assert.equal(await render({ title: '<' }), '<p title="&lt;">')
  })
})
