import { test } from '@japa/runner'
import { conditionOf, unseenFields, type VisibleWhen } from '#admin/views/visible_when'

/** Names of the fields that are not part of the form */
function unseen(
  conditions: Record<string, VisibleWhen | undefined>,
  texts: Record<string, string[] | null>
): string[] {
  const fields = Object.entries(conditions).map(([name, visibleWhen]) => ({
    name,
    condition: conditionOf(visibleWhen),
  }))
  return [...unseenFields(fields, (name) => (name in texts ? texts[name] : []))]
}

test.group('visibleWhen', () => {
  test('[R14] a conditional field is part of the form while another field has one of the given values', ({
    assert,
  }) => {
    const isbn = { kind: ['book', 'ebook'] }
    assert.deepEqual(unseen({ isbn }, { kind: ['book'] }), [])
    assert.deepEqual(unseen({ isbn }, { kind: ['ebook'] }), [])
    assert.deepEqual(unseen({ isbn }, { kind: ['film'] }), ['isbn'])
    assert.deepEqual(unseen({ isbn }, { kind: [] }), ['isbn'])
    assert.deepEqual(unseen({ isbn }, { kind: ['film', 'book'] }), [])
    assert.deepEqual(unseen({ isbn: undefined }, {}), [])
  })

  test('[R14] values are compared as texts of the form, and null as an empty field', ({
    assert,
  }) => {
    assert.deepEqual(unseen({ a: { level: 2 } }, { level: ['2'] }), [])
    assert.deepEqual(unseen({ a: { isDone: false } }, { isDone: ['false'] }), [])
    assert.deepEqual(unseen({ a: { isDone: false } }, { isDone: ['true'] }), ['a'])
    assert.deepEqual(unseen({ a: { level: null } }, { level: [] }), [])
    assert.deepEqual(unseen({ a: { level: [null, 1] } }, { level: ['2'] }), ['a'])
  })

  test('[R14] if a condition names several fields, each must have its value', ({ assert }) => {
    const a = { kind: 'book', level: [1, 2] }
    assert.deepEqual(unseen({ a }, { kind: ['book'], level: ['1'] }), [])
    assert.deepEqual(unseen({ a }, { kind: ['book'], level: ['3'] }), ['a'])
  })

  test('[R14] a field is not part of the form if it depends on a field that is not part of it', ({
    assert,
  }) => {
    const conditions = { kind: undefined, isbn: { kind: 'book' }, prefix: { isbn: 'x' } }
    assert.deepEqual(unseen(conditions, { kind: ['film'], isbn: ['x'] }), ['isbn', 'prefix'])
    assert.deepEqual(unseen(conditions, { kind: ['book'], isbn: ['x'] }), [])
  })

  test("[R14] conditions on fields that the viewer can't see count as met", ({ assert }) => {
    assert.deepEqual(unseen({ a: { kind: 'book' } }, { kind: null }), [])
  })
})
