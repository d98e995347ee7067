import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminSavedView, type AdminUser } from '#admin'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { insertRow, onSqlite } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'
import { getList, textOf, unescape } from '#tests/helpers/list_page'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const LIST = '/admin/Sale/'

/** Text, with numbers as of a database without the scale of decimals */
function shown(markup: string): string {
  const text = textOf(markup).replaceAll(/\s+/g, ' ').trim()
  return text.replaceAll(/(\.\d*?)0+(?!\d)/g, (_, digits) => (digits === '.' ? '' : digits))
}

test.group('Admin | list | summaries and groups', (group) => {
  group.tap((one) => one.tags(['@database']))
  let ada: AdminUser
  let cookie: string

  async function page(query: string): Promise<string> {
    const { status, text } = await get(`${LIST}?${query}`, { headers: { cookie } })
    if (status !== 200) throw new Error(text)
    return text
  }

  /** Text of the figures under a list */
  async function figures(query: string): Promise<string | null> {
    const [section] = /<section class="list-summary".*?<\/section>/s.exec(await page(query)) ?? []
    return section ? shown(section) : null
  }

  /** Texts of the groups, with the address that each leads to */
  async function groups(query: string) {
    const [section = ''] = /<div class="list-groups">.*?<\/table>/s.exec(await page(query)) ?? []
    const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(section) ?? []
    return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => ({
      cells: [...row.matchAll(/<t[hd].*?<\/t[hd]>/gs)].map(([cell]) => shown(cell)),
      url: unescape(/href="(.*?)"/.exec(row)?.[1] ?? ''),
    }))
  }

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await db.from('aggregate_sales').delete()
    ada = await makeUser('ada', { isSuperuser: false })
    cookie = await cookiesOf(ada)
    for (const [title, genre, amount, units, booked] of [
      ['a', 'Drama', '1200.5', 3, '2026-01-31 23:30:00'],
      ['b', 'Drama', '0.25', 4, '2026-01-31 10:00:00'],
      ['c', 'Comedy', '7', null, '2026-02-01 00:30:00'],
      ['d', null, null, 5, null],
    ]) {
      await insertRow('aggregate_sales', { title, genre, amount, units, booked_at: booked })
    }
    return () => restoreRoles()
  })

  test('[G5.4] summaries below a page of the list cover all matching records', async ({
    assert,
  }) => {
    const query = 'summary=amount:sum,amount:max,units:avg&rows-per-page-select=2'
    assert.equal(
      await figures(query),
      'Of all 4 records Amount Total 1,207.75 Highest 1,200.5 Units Average 4'
    )
    assert.match((await figures(`${query}&filter.genre=Drama`))!, /Of all 2 .*Total 1,200.75/)
    assert.match((await figures('filter.genre=Comedy'))!, /Of 1 record Amount Total 7/)
    assert.isNull(await figures('summary='))
    assert.isNull(await figures('summary=title:sum,margin:sum,amount:median,nothing'))
    const list = await getList(cookie, `${LIST}?${query}`)
    assert.include(list.text, 'summary=amount%3Asum%2Camount%3Amax%2Cunits%3Aavg')
  })

  test('[G5.4] the list can be grouped by a column, and each value links to its records', async ({
    assert,
  }) => {
    const found = await groups('group_by=genre&summary=amount:sum')
    assert.deepEqual(
      found.map(({ cells }) => cells),
      [
        ['Drama', '2', '1,200.75'],
        ['Comedy', '1', '7'],
        ['(empty)', '1', 'Empty'],
      ]
    )
    const byCount = await groups('group_by=genre&summary=')
    assert.deepEqual(
      byCount.map(({ cells }) => cells.join()),
      ['Drama,2', '(empty),1', 'Comedy,1']
    )
    for (const { cells, url } of found) {
      const { rows } = await getList(cookie, url)
      assert.lengthOf(rows, Number(cells[1]), url)
    }
    assert.match(await page('group_by=genre&summary='), /<svg class="card-chart.*Drama: 2</s)
    assert.isEmpty(await groups('group_by=margin'))
    assert.isEmpty(await groups('group_by=fee'))
  })

  test('[G5.4] datetimes are grouped by day, and each day links to its records', async ({
    assert,
  }) => {
    const found = await groups('group_by=booked_at&filter.genre=Drama')
    assert.deepEqual(
      found.map(({ cells }) => cells),
      [['2026-01-31', '2', '1,200.75']]
    )
    const { rows } = await getList(cookie, found[0].url)
    assert.lengthOf(rows, 2)
    const all = await groups('group_by=booked_at')
    assert.deepEqual(
      all.map(({ cells }) => cells.slice(0, 2).join()),
      ['2026-02-01,1', '2026-01-31,2', '(empty),1']
    )
  })

  test('[G5.4] keys and references have no summaries, and a note says which groups are shown if there are too many', async ({
    assert,
  }) => {
    const { text } = await get('/admin/Reel/columns', { headers: { cookie } })
    assert.match(text, /name="summary"/)
    assert.notMatch(text, /name="summary" value="(?:id|lender_id):/)
    for (let at = 0; at < 201; at++) {
      const sold = new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10)
      await insertRow('aggregate_sales', { title: 'x', genre: `g${at}`, sold_on: sold })
    }
    assert.include(await page('group_by=sold_on'), 'The latest 200 days are shown')
    const frequent = await page('group_by=genre&chart=count')
    assert.include(frequent, 'The 200 most frequent values are shown')
    assert.include(frequent, 'The chart shows the first 12')
    assert.include(await page('group_by=genre'), 'highest in “Amount, total”')
  })

  test('[G5.4] the latest days of 100,000 records are grouped within seconds', async ({
    assert,
  }) => {
    if (!onSqlite) return
    await db.rawQuery(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      insert into aggregate_sales (title, booked_at) select 'x', datetime('1700-01-01', '+' || (i * 25) || ' hours') from n`)
    const begun = performance.now()
    const found = await groups('group_by=booked_at')
    assert.lengthOf(found, 200)
    assert.isBelow(performance.now() - begun, 6000)
  }).tags(['@slow'])

  test('[G5.4] summaries and groups do not show columns that roles hide', async ({ assert }) => {
    await makeRole('Clerk', { Sale: { actions: ['view'], hidden: ['amount', 'genre'] } })
    await giveRoles(ada, ['Clerk'])
    assert.equal(await figures('summary=amount:sum,units:sum'), 'Of all 4 records Units Total 12')
    assert.isNull(await figures(''))
    assert.isEmpty(await groups('group_by=genre'))
    const { text } = await get('/admin/Sale/columns', { headers: { cookie } })
    assert.notMatch(text, /value="(?:amount:sum|genre)"/)
  })

  test('[G5.4] summaries and groups are chosen with the columns, and stored in a saved view', async ({
    assert,
  }) => {
    const { text } = await get(`${LIST}columns?summary=units:sum`, { headers: { cookie } })
    assert.match(text, /name="summary" value="units:sum" checked/)
    assert.notMatch(text, /name="summary" value="amount:sum" checked/)
    const form = new URLSearchParams([
      ['query', 'filter.genre=Drama'],
      ['columns', 'title'],
      ['summaries', '1'],
      ['summary', 'units:sum'],
      ['summary', 'units:min'],
      ['group_by', 'genre'],
    ])
    const response = await sendForm(`${LIST}columns`, String(form), { cookie })
    const query = 'filter.genre=Drama&summary=units%3Asum%2Cunits%3Amin&group_by=genre'
    assert.equal(response.headers.get('location'), `${LIST}?${query}`)
    const stored = { ownerId: ada.id, model: 'Sale', name: 'Mine', query, shared: false }
    const { id } = await AdminSavedView.create(stored)
    assert.equal(await figures(`view=${id}`), 'Of all 2 records Units Total 7 Lowest 3')
    assert.lengthOf(await groups(`view=${id}`), 1)
    assert.isEmpty(await groups(`view=${id}&group_by=`))
  })
})
