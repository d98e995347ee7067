import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { textOf } from '#tests/helpers/list_page'

test.group('Admin | list | print', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('list_cash_books').delete()
    cookie = await cookiesOf(await makeUser('ada'))
    return async () => void (await db.from('list_cash_books').delete())
  })

  async function fill(count: number) {
    const rows = Array.from({ length: count }, (_, index) => ({
      title: `Entry ${index + 1}`,
      amount: index % 2,
    }))
    for (let start = 0; start < count; start += 400) {
      await db.table('list_cash_books').multiInsert(rows.slice(start, start + 400))
    }
  }

  const printed = (query: string) => get(`/admin/CashBook/print${query}`, { headers: { cookie } })
  const rowsIn = (text: string) =>
    (/<tbody>(.*)<\/tbody>/s.exec(text)?.[1] ?? '').split('<tr').slice(1)

  test('[L14] the print page has all matching rows in the order of the list, with the filters in words', async ({
    assert,
  }) => {
    await fill(300)
    const { status, text } = await printed('?filter.amount=1&sort_by=title&sort_order=asc&page=3')
    assert.equal(status, 200)
    const rows = rowsIn(text)
    assert.lengthOf(rows, 150)
    assert.include(textOf(rows[0]), 'Entry 10')
    const words = textOf(text).replaceAll(/\s+/g, ' ')
    assert.match(
      words,
      /Printed \d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC · 150 found Amount is 1/
    )
    assert.notInclude(text, '<nav')
    /* Lists are cards on narrow screens, which show some columns only. */
    assert.notInclude(text, 'list-table')

    const list = await get('/admin/CashBook/?filter.amount=1', { headers: { cookie } })
    assert.include(list.text, 'href="/admin/CashBook/print?filter.amount=1"')
  })

  test('[L14] the print page has at most 5,000 rows, and reports that limit', async ({
    assert,
  }) => {
    await fill(5_000)
    const whole = await printed('')
    assert.notInclude(whole.text, 'are printed')
    await fill(1)
    const { text } = await printed('')
    assert.lengthOf(rowsIn(text), 5_000)
    assert.include(textOf(text), 'Only the first 5,000 records are printed.')
    assert.include(text, 'href="/admin/CashBook/export/dialog"')
  })
})
