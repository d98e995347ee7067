import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import type { HttpContext } from '@adonisjs/core/http'
import { guardOf } from '#admin/identity/admin_guard'
import { ListPage, type ListData } from '#admin/list/list_page'
import { adminSite } from '#tests/helpers/admin'

async function dataOf(model: string, query: string): Promise<ListData> {
  const site = await adminSite()
  const ctx: HttpContext = await testUtils.createHttpContext()
  const user = { username: 'ada', isSuperuser: true }
  const signedIn = { owner: { ...user, user }, session: {} }
  guardOf(ctx).signedIn = signedIn as any
  ctx.request.parsedUrl.query = query
  return await new ListPage(site, site.models.get(model)!).data(ctx)
}

test.group('ListPage', (group) => {
  group.each.setup(async () => {
    await db.from('list_cash_books').delete()
    await db.from('list_cabins').delete()
    await db.table('list_cash_books').multiInsert(
      Array.from({ length: 25 }, (_, index) => ({
        title: `Entry ${index + 1}`,
        amount: (index * 7) % 25,
      }))
    )
  })

  test('[S34] the template receives the specified variables', async ({ assert }) => {
    const data = await dataOf(
      'CashBook',
      'page=2&rows-per-page-select=5&sort_by=title&sort_order=desc&column-to-search=title&search-input=entry'
    )
    assert.deepEqual(
      data.items.map(({ title }) => title),
      ['Entry 4', 'Entry 3', 'Entry 25', 'Entry 24', 'Entry 23']
    )
    assert.equal(data.model_name, 'CashBook')
    assert.deepEqual(data.table_columns, ['id', 'title', 'remark', 'amount', 'deleted_at'])
    assert.equal(data.total_items, 25)
    assert.equal(data.current_page, 2)
    assert.equal(data.rows_per_page, 5)
    assert.equal(data.selected_column, 'title')
    assert.deepEqual(data.primary_key_info, {
      name: 'id',
      type: 'integer',
      columns: [{ name: 'id', type: 'integer' }],
    })
    assert.equal(data.mount_path, '/admin')
    assert.equal(data.sort_column, 'title')
    assert.equal(data.sort_order, 'desc')
    assert.deepEqual(data.allowed_actions, ['view', 'delete'])
  })

  test('[S34] variables for missing parameters are null, except for the order', async ({
    assert,
  }) => {
    const data = await dataOf('CashBook', '')
    assert.isNull(data.selected_column)
    assert.isNull(data.sort_column)
    assert.equal(data.sort_order, 'asc')
    const none = await dataOf('CashBook', 'sort_by=None&sort_order=None')
    assert.isNull(none.sort_column)
    assert.isNull(none.sort_order)
  })

  test("[S29, S34] the template receives a column that can't be searched as the selected column", async ({
    assert,
  }) => {
    const data = await dataOf('CashBook', 'column-to-search=remark&search-input=nothing')
    assert.equal(data.selected_column, 'remark')
    assert.equal(data.total_items, 25)
    assert.include(data.unsearchable!, 'Remark')
    assert.deepEqual(
      data.searchable.filter(({ selected }) => selected).map(({ name }) => name),
      ['*']
    )
  })

  test('[S34] for a composite key the template receives all its columns', async ({ assert }) => {
    await db.table('list_cabins').insert({ deck: 3, letter: 'a/b', guest: null })
    const { primary_key_info: key, rows } = await dataOf('Cabin', '')
    assert.deepEqual(key.columns, [
      { name: 'deck', type: 'integer' },
      { name: 'letter', type: 'text' },
    ])
    assert.equal(rows[0].key, '3/a%2Fb')
  })

  test('[S27] for a page number past the end the template receives the last page', async ({
    assert,
  }) => {
    const data = await dataOf('CashBook', 'page=999')
    assert.equal(data.current_page, 3)
    assert.lengthOf(data.items, 5)
    assert.equal(data.total_items, 25)
    assert.deepEqual(data.range, { from: 21, to: 25 })
    const none = await dataOf('Cabin', 'page=999')
    assert.equal(none.current_page, 1)
    assert.deepEqual(none.range, { from: 0, to: 0 })
  })
})
