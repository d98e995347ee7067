import { test } from '@japa/runner'
import fc from 'fast-check'
import { readTags, tagsOf, tagsText } from '#admin/forms/fields/widgets/tags_widget'

test.group('Admin | tags as a text', () => {
  test('[R13] tags are one per line, without blanks and duplicates', ({ assert }) => {
    assert.deepEqual(readTags(' red \n\nblue\nred'), ['red', 'blue'])
    assert.deepEqual(readTags(''), [])
    assert.equal(tagsText(['red', 'a, b']), 'red\na, b')
    assert.equal(tagsText('["red"]'), 'red')
  })

  test("[R13] values that are not a list of texts can't be shown as tags", ({ assert }) => {
    for (const value of [{}, [1], '{"a":1}', 'red', 5]) assert.isNull(tagsOf(value))
    assert.deepEqual(tagsOf('["a"]'), ['a'])
  })

  test('[R13] any list of tags is unchanged when it is written as text and parsed again', () => {
    const tag = fc.oneof(fc.string(), fc.constantFrom('[1]', '[', 'a\nb', ' ', '', '"'))
    fc.assert(
      fc.property(fc.uniqueArray(tag), (tags) => {
        const back = readTags(tagsText(tags))
        return JSON.stringify(back) === JSON.stringify(tags)
      })
    )
  })
})
