import { test } from '@japa/runner'
import { rowsMarkup } from '#admin/list/rows_markup'

const SIGNS = `&<>"'\``
const ESCAPED = '&amp;&lt;&gt;&quot;&#x27;&#x60;'
const STYLES = [
  { style: ' lead', isLead: true, card: '' },
  { style: ' number', isLead: false, card: ' data-label="Visitors"' },
]

const row = (values: object) => ({
  key: '7',
  title: 'Vase',
  label: 'Select Vase',
  isDeleted: false,
  cells: [],
  ...values,
})

test.group('HTML of list rows', () => {
  test('values of records are escaped', ({ assert }) => {
    const cell = { kind: 'text' as const, text: SIGNS, title: SIGNS, href: SIGNS }
    const cells = [cell, { ...cell, kind: 'null' as const }]
    const rows = [row({ key: SIGNS, title: SIGNS, label: SIGNS, cells, isDeleted: true })]
    const markup = rowsMarkup(rows, STYLES, { hasCheckboxes: true, mark: SIGNS, marked: null })
    assert.notInclude(markup, SIGNS)
    assert.lengthOf(markup.split(ESCAPED), 10)
  })

  test('the first cell is a row header and marks a deleted record', ({ assert }) => {
    const cells = [
      { kind: 'text' as const, text: 'Vase' },
      { kind: 'number' as const, text: '1,000', title: '1000' },
    ]
    const deleted = row({ cells, isDeleted: true })
    const markup = rowsMarkup([deleted], STYLES, {
      hasCheckboxes: false,
      mark: 'Deleted',
      marked: null,
    })
    assert.deepEqual(markup.trim().split('\n'), [
      '<tr class="is-deleted"><th scope="row" class="text lead">Vase <span class="deleted-mark">Deleted</span></th>',
      '<td class="number number" title="1000" data-label="Visitors">1,000</td>',
      '</tr>',
    ])
  })
})
