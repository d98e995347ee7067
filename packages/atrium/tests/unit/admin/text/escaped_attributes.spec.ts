import { test } from '@japa/runner'
import { Edge, edgeGlobals } from 'edge.js'
import { withEscapedAttributes } from '#admin/layout/site_templates'

const html = withEscapedAttributes(edgeGlobals.html)
const render = (values: object) =>
  new Edge().renderRaw('<p {{ html.attrs(values) }}>', { html, values })

test.group('Attributes in templates', () => {
  test('Edge by itself still does not escape attributes', async ({ assert }) => {
    const text = await new Edge().renderRaw('<p {{ html.attrs({ title: value, min: 0 }) }}>', {
      value: '"><b>',
    })
    assert.equal(text, '<p title=""><b>">')
  })

  test('a value can’t end the attribute that contains it', async ({ assert }) => {
    for (const value of ['"><img src=x>', "'", '&quot;', '<b>', '{{ 7*7 }}']) {
      const tag = await render({ 'title': value, 'data-x': [value], 'class': [value] })
      assert.equal(tag.match(/"/g)!.length, 6, value)
      assert.equal(tag.match(/[<>]/g)!.length, 2, value)
    }
    assert.equal(await render({ title: '&' }), '<p title="&amp;">')
  })

  test('an attribute that is true is rendered as its name alone, false is omitted, and 0 is a value', async ({
    assert,
  }) => {
    assert.equal(
      await render({ required: true, hidden: false, title: undefined, min: 0, max: 7 }),
      '<p required min="0" max="7">'
    )
  })
})
