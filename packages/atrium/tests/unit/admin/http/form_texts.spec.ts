import { test } from '@japa/runner'
import { singleText } from '#admin/http/form_texts'

test.group('Texts of forms', () => {
  const texts = new Map([
    ['username', [' ada ']],
    ['password', ['one', 'two']],
    ['next', ['']],
  ])

  test('[B3] the text of a field is trimmed', ({ assert }) => {
    assert.equal(singleText(texts, 'username'), 'ada')
    assert.equal(singleText(texts, 'next'), '')
  })

  test('[B3] a field that is missing or repeated in a form has no text', ({ assert }) => {
    assert.isUndefined(singleText(texts, 'password'))
    assert.isUndefined(singleText(texts, 'theme'))
  })
})
