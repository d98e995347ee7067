import { test } from '@japa/runner'
import { isSearchable, searchCondition } from '#base/columns/search_condition'
import { ANY } from '#base/values/text_pattern'
import type { Column } from '#base/columns/column'
import { adminSite } from '#tests/helpers/admin'

test.group('Condition of a search in a list', (group) => {
  let columns: Record<string, Column>

  group.setup(async () => {
    const site = await adminSite()
    const { fields } = site.models.get('Artefact')!.resource
    columns = Object.fromEntries(fields.map((column) => [column.apiName, column]))
  })

  /** Value in the condition on the column; null: no filter. */
  function value(name: string, text: string) {
    const condition = searchCondition(columns[name], text)
    if (condition?.type !== 'compare') return null
    return condition.operator === 'eq' ? condition.value : undefined
  }

  test('[S30] an integer matches exactly, and other texts do not filter', ({ assert }) => {
    assert.strictEqual(value('visitors', '7'), 7)
    assert.strictEqual(value('visitors', '-12'), -12)
    assert.strictEqual(value('visitors', '+5'), 5)
    assert.strictEqual(value('visitors', '007'), 7)
    assert.strictEqual(value('visitors', '9007199254740993'), '9007199254740993')
    for (const text of ['abc', '1.5', '1e3', '0x1', '7 8', '9'.repeat(20), '9'.repeat(400)]) {
      assert.isNull(searchCondition(columns.visitors, text), text)
    }
  })

  test('[S30] a float matches exactly, and other texts do not filter', ({ assert }) => {
    assert.strictEqual(value('weight', '12.5'), 12.5)
    assert.strictEqual(value('weight', '3'), 3)
    assert.strictEqual(value('weight', '-.5'), -0.5)
    assert.strictEqual(value('weight', '1.5e2'), 150)
    for (const text of ['abc', '1,5', '.', 'NaN', 'Infinity', '1e999', '0x1']) {
      assert.isNull(searchCondition(columns.weight, text), text)
    }
  })

  test('[S30] a boolean is found by words in any case, and other texts do not filter', ({
    assert,
  }) => {
    for (const text of ['true', 'yes', '1', 't', 'y', 'TRUE', 'Yes', 'Y']) {
      assert.strictEqual(value('on_loan', text), true, text)
    }
    for (const text of ['false', 'no', '0', 'f', 'n', 'FALSE', 'No', 'N']) {
      assert.strictEqual(value('on_loan', text), false, text)
    }
    for (const text of ['maybe', '2', 'on', 'tru']) {
      assert.isNull(searchCondition(columns.on_loan, text), text)
    }
  })

  test('[S30, B15] a text matches in part, ignoring case and with literal characters', ({
    assert,
  }) => {
    assert.deepEqual(searchCondition(columns.name, '50%_\\ off'), {
      type: 'match',
      column: columns.name,
      pattern: [ANY, '50%_\\ off', ANY],
      foldCase: true,
      negate: false,
    })
  })

  test('search texts that are invalid or too long do not filter', ({ assert }) => {
    const cherokee = Array.from({ length: 85 }, (_, index) => String.fromCodePoint(0x13a0 + index))
    const letters = [...cherokee, ...'abcdefghijklmnop'].join('')
    assert.isNull(searchCondition(columns.name, letters))
    assert.isNotNull(searchCondition(columns.name, letters.slice(1)))
    for (const text of ['a\0b', '\ud800', 'x'.repeat(201)]) {
      assert.isNull(searchCondition(columns.name, text))
    }
    assert.isNotNull(searchCondition(columns.name, 'x'.repeat(200)))
  })

  test('a UUID matches as a whole, ignoring case', ({ assert }) => {
    const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    assert.equal(value('mark', uuid.toUpperCase()), uuid)
    assert.isNull(searchCondition(columns.mark, '3f2504e0'))
  })

  test('[S30] columns of other types do not filter and are not offered for a search', ({
    assert,
  }) => {
    for (const name of ['found_on', 'shown_at', 'opens_at', 'details', 'picture']) {
      for (const text of ['2026-01-02', '2026-01-02 03:04:05', '09:30', '{}', 'null', 'a']) {
        assert.isNull(searchCondition(columns[name], text), name)
      }
      assert.isFalse(isSearchable(columns[name]), name)
    }
    for (const name of ['name', 'visitors', 'weight', 'on_loan', 'mark']) {
      assert.isTrue(isSearchable(columns[name]), name)
    }
  })
})
