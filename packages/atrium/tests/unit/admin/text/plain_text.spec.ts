import { test } from '@japa/runner'
import { inSentence } from '#admin/text/plain_text'

test('a label starts in lower case inside a sentence, unless it is all capitals', ({ assert }) => {
  const cases = {
    'Order line': 'order line',
    'Ärger': 'ärger',
    'SKU': 'SKU',
    'URL list': 'URL list',
  }
  for (const [label, expected] of Object.entries(cases)) assert.equal(inSentence(label), expected)
  assert.equal(inSentence(''), '')
  assert.equal(inSentence('A'), 'a')
})
