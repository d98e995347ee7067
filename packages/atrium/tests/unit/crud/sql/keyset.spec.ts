import { test } from '@japa/runner'
import { resources } from '#crud'
import { SqliteDialect } from '#base/database/sqlite/sqlite_dialect'
import { rangesAfter } from '#crud/sql/keyset'
import { orderOf, readSorts, splitSorts } from '#base/columns/sort'

const dialect = new SqliteDialect()

/** The conditions in short. */
function after(sort: string, position: unknown[]): Array<{ sql: string; bindings: unknown[] }> {
  const { resource } = resources.endpoints().find(({ path }) => path === '/api/specimens')!
  const sorts = readSorts(splitSorts(sort), resource.sortable, () => {})
  const order = orderOf(sorts, resource.key.columns)
  return rangesAfter(order, position, 'specimens', dialect).map(({ sql, bindings }) => ({
    sql: sql.replaceAll('"specimens".', '').replaceAll('"', '').replaceAll('+?', '?'),
    bindings,
  }))
}

test.group('Conditions of a cursor', () => {
  test('[Q4] the condition of a cursor limits the first sort column and excludes rows that were already returned', ({
    assert,
  }) => {
    const [range, ...others] = after('amount', [5, 7])
    assert.equal(
      range.sql,
      '((amount >= ?)) and ((amount > ?) or (((id >= ?)) and ((id > ?) or (1 = 0))))'
    )
    assert.deepEqual(range.bindings, [5, 5, 7, 7])
    assert.isEmpty(others)
  })

  test('[Q4, A18] in descending order null is sorted after all values', ({ assert }) => {
    const [values, none] = after('-amount', [5, 7])
    assert.match(values.sql, /^\(\(amount <= \?\)\) and \(\(amount < \?\) or /)
    assert.notInclude(values.sql, 'null')
    assert.deepEqual(none, { sql: 'amount is null', bindings: [] })
    assert.lengthOf(after('-amount', [null, 7]), 1)
    assert.match(after('-amount', [null, 7])[0].sql, /^\(amount is null\) and /)
    assert.match(after('amount', [null, 7])[0].sql, /^\(amount is not null\) or /)
  })

  test('[Q4] the condition of a cursor on a NOT NULL column contains no comparison with null', ({
    assert,
  }) => {
    const [range, ...others] = after('-id', [7])
    assert.equal(range.sql, '((id <= ?)) and ((id < ?) or (1 = 0))')
    assert.isEmpty(others)
  })
})
