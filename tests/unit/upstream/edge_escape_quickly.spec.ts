import { test } from '@japa/runner'
import edge from 'edge.js'
import { escapeQuickly } from '#upstream/edge_escape_quickly'

const render = (value: unknown) => edge.renderRaw('{{ value }}', { value })

test.group('Texts in templates', () => {
  test('a text is escaped once, however often it was asked for', async ({ assert }) => {
    escapeQuickly()
    escapeQuickly()
    assert.equal(await render(`&<>"'\``), '&amp;&lt;&gt;&quot;&#x27;&#x60;')
    assert.equal(await render('é – “plain”'), 'é – “plain”')
  })

  test('what is no text is what Edge makes of it', async ({ assert }) => {
    escapeQuickly()
    assert.equal(await render(0), '0')
    assert.equal(await render(null), 'null')
    assert.equal(await render({ toString: () => '<b>' }), '&lt;b&gt;')
    assert.equal(await edge.renderRaw('{{ html.safe(value) }}', { value: '<b>' }), '<b>')
  })
})
