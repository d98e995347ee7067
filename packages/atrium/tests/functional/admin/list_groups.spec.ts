import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { AdminSavedView, type AdminUser } from '#admin'
import { LucidCrud } from '#crud'
import { Sale } from '#tests/fixtures/aggregates'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { insertRow } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'
import { getList, textOf, unescape } from '#tests/helpers/list_page'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'

const LIST = '/admin/Sale/'

/** Text, with numbers as of a database without the scale of decimals */
function shown(markup: string): string {
  const text = textOf(markup).replaceAll(/\s+/g, ' ').trim()
  return text.replaceAll(/(\.\d*?)0+(?!\d)/g, (_, digits) => (digits === '.' ? '' : digits))
}

test.group('Admin | list | groups of times, and their chart', (group) => {
  group.tap((one) => one.tags(['@database']))
  let ada: AdminUser
  let cookie: string

  async function page(query: string): Promise<string> {
    const { status, text } = await get(`${LIST}?${query}`, { headers: { cookie } })
    if (status !== 200) throw new Error(text)
    return text
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

  /** Texts of the bars of the chart, in their order */
  async function bars(query: string): Promise<string[]> {
    const [card = ''] = /<svg class="card-chart.*?<div/s.exec(await page(query)) ?? []
    return [...card.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => shown(title))
  }

  /** Labels of the figures that the chart can show, the chosen one in brackets */
  async function choices(query: string): Promise<string[]> {
    const [nav = ''] = /<nav class="chart-choices".*?<\/nav>/s.exec(await page(query)) ?? []
    return [...nav.matchAll(/<a (.*?)>(.*?)<\/a>/gs)].map(([, attributes, label]) =>
      attributes.includes('aria-current') ? `[${textOf(label)}]` : textOf(label)
    )
  }

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await db.from('aggregate_sales').delete()
    ada = await makeUser('ada', { isSuperuser: false })
    cookie = await cookiesOf(ada)
    for (const [title, genre, amount, sold, booked] of [
      ['a', 'Drama', '10.5', '2025-11-30', '2025-11-30 23:30:00'],
      ['b', 'Drama', '-0.5', '2026-02-01', '2026-01-31 22:30:00'],
      ['c', 'Comedy', '7', '2026-02-28', '2026-01-31 23:30:00'],
      ['d', null, null, null, null],
    ]) {
      await insertRow('aggregate_sales', { title, genre, amount, sold_on: sold, booked_at: booked })
    }
    return () => restoreRoles()
  })

  async function assertCounts(
    assert: { lengthOf: Function },
    found: Awaited<ReturnType<typeof groups>>
  ) {
    for (const { cells, url } of found) {
      const { rows } = await getList(cookie, url)
      assert.lengthOf(rows, Number(cells[1]), url)
    }
  }

  test('[G5.8] dates are grouped by month and year with their summaries, and each group links to its records', async ({
    assert,
  }) => {
    const months = await groups('group_by=sold_on:month&summary=amount:sum')
    assert.deepEqual(
      months.map(({ cells }) => cells.join(' | ')),
      ['Feb 2026 | 2 | 6.5', 'Nov 2025 | 1 | 10.5', '(empty) | 1 | Empty']
    )
    await assertCounts(assert, months)
    assert.equal(months[0].url.includes('sold_on__between=2026-02-01%2C2026-02-28'), true)
    const years = await groups('group_by=sold_on:year&filter.sold_on__gte=2026-02-15&summary=')
    assert.deepEqual(
      years.map(({ cells }) => cells.join(' | ')),
      ['2026 | 1']
    )
    await assertCounts(assert, years)
    assert.isEmpty(await groups('group_by=sold_on:week'))
    assert.isEmpty(await groups('group_by=genre:month'))
  })

  test("[G5.8] datetimes are grouped by month and year in the user's time zone, with their summaries", async ({
    assert,
  }) => {
    const query = 'group_by=booked_at:month&summary=amount:sum'
    const inUtc = await groups(query)
    assert.deepEqual(
      inUtc.map(({ cells }) => cells.join(' | ')),
      ['Jan 2026 | 2 | 6.5', 'Nov 2025 | 1 | 10.5', '(empty) | 1 | Empty']
    )
    await sendForm('/admin/account/preferences', { time_zone: 'Europe/Berlin' }, { cookie })
    const inBerlin = await groups(query)
    assert.deepEqual(
      inBerlin.map(({ cells }) => cells.join(' | ')),
      ['Feb 2026 | 1 | 7', 'Jan 2026 | 1 | -0.5', 'Dec 2025 | 1 | 10.5', '(empty) | 1 | Empty']
    )
    await assertCounts(assert, inBerlin)
    await assertCounts(assert, await groups('group_by=booked_at:year'))
    await assertCounts(assert, await groups('group_by=booked_at'))
  })

  test('[G5.8] the days, months and years of datetimes are those of the zone, at any time of its history', async ({
    assert,
  }) => {
    const zones = ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Australia/Lord_Howe']
    const moments = zones.flatMap((zone) =>
      Array.from({ length: 40 }, (_, at) => {
        const begin = DateTime.fromObject({ year: 1972 + at * 2, month: 1 + (at % 12) }, { zone })
        return [begin, begin.minus({ seconds: 1 })].map((one) => one.toUTC().startOf('second'))
      }).flat()
    )
    const changes = ['2026-03-29 00:59:59', '2026-03-29 01:00:00', '2018-11-04 02:59:59']
    const texts = [...moments.map((one) => one.toFormat('yyyy-MM-dd HH:mm:ss')), ...changes]
    await db.from('aggregate_sales').delete()
    await db
      .table('aggregate_sales')
      .multiInsert(texts.map((booked_at) => ({ title: 'x', booked_at })))
    const crud = new LucidCrud(Sale)
    const formats = { day: 'yyyy-MM-dd', month: 'yyyy-MM', year: 'yyyy' }
    for (const zone of [...zones, 'UTC']) {
      for (const [part, format] of Object.entries(formats)) {
        const name = `booked_at:${part}`
        const found = await crud.aggregate({}, { groupBy: name, zone, limit: 1000 })
        const expected = Map.groupBy(texts, (text) =>
          DateTime.fromSQL(text, { zone: 'utc' }).setZone(zone).toFormat(format)
        )
        assert.deepEqual(
          found.map((row) => [row[name], row.count]),
          [...expected].map(([begin, all]) => [begin, all.length]).toSorted(),
          `${zone} ${part}`
        )
      }
    }
    await assert.rejects(
      () => crud.aggregate({}, { groupBy: 'booked_at:day', zone: 'Nowhere' }),
      /Invalid time zone/
    )
  })

  test('[G5.8] grouping by day, month or year is selected together with the columns, and stored in a saved view', async ({
    assert,
  }) => {
    const { text } = await get(`${LIST}columns?group_by=sold_on:month`, { headers: { cookie } })
    const [, select = ''] = /<select[^>]* name="group_by">(.*?)<\/select>/s.exec(text) ?? []
    const options = [...select.matchAll(/<option value="(.*?)"(.*?)>(.*?)<\/option>/gs)]
    assert.deepEqual(
      options.flatMap(([, value, , label]) => (/^sold|^booked/.test(value) ? [label] : [])),
      [
        'Sold on, by day',
        'Sold on, by month',
        'Sold on, by year',
        'Booked at, by day',
        'Booked at, by month',
        'Booked at, by year',
      ]
    )
    assert.deepEqual(
      options.flatMap(([, value, state]) => (state.includes('selected') ? [value] : [])),
      ['sold_on:month']
    )
    const form = new URLSearchParams([
      ['query', ''],
      ['columns', 'title'],
      ['summaries', '1'],
      ['group_by', 'booked_at:month'],
    ])
    const response = await sendForm(`${LIST}columns`, String(form), { cookie })
    const query = 'summary=&group_by=booked_at%3Amonth'
    assert.equal(response.headers.get('location'), `${LIST}?${query}`)
    const stored = { ownerId: ada.id, model: 'Sale', name: 'Mine', query, shared: false }
    const { id } = await AdminSavedView.create(stored)
    assert.lengthOf(await groups(`view=${id}`), 3)
    assert.lengthOf(await groups(`view=${id}&group_by=booked_at:year`), 3)
  })

  test('[G5.8] the chart shows months in order, including those without records, and formats values as the list does', async ({
    assert,
  }) => {
    assert.deepEqual(await bars('group_by=sold_on:month&summary='), [
      'Nov 2025: 1',
      'Dec 2025: No records',
      'Jan 2026: No records',
      'Feb 2026: 2',
    ])
    assert.deepEqual(await bars('group_by=genre&summary=amount:avg'), [
      'Comedy: 7',
      'Drama: 5',
      '(empty): Empty',
    ])
    for (let month = 0; month < 70; month++) {
      const sold = DateTime.utc(2026, 3, 1).plus({ months: month }).toISODate()!
      await insertRow('aggregate_sales', { title: 'x', sold_on: sold })
    }
    assert.lengthOf(await bars('group_by=sold_on:month'), 60)
    assert.include(await page('group_by=sold_on:month'), 'The chart shows the latest 60.')
  })

  test('[G5.9] the chart shows the first summary, another selected summary, or the number of records', async ({
    assert,
  }) => {
    const query = 'group_by=genre&summary=amount:sum,sold_on:max,amount:max'
    assert.deepEqual(await bars(query), ['Drama: 10', 'Comedy: 7', '(empty): Empty'])
    assert.deepEqual(await choices(query), ['[Amount, total]', 'Amount, highest', 'Records'])
    assert.deepEqual(await choices(`${query}&chart=amount:max`), [
      'Amount, total',
      '[Amount, highest]',
      'Records',
    ])
    assert.deepEqual(await bars(`${query}&chart=amount:max`), [
      'Drama: 10.5',
      'Comedy: 7',
      '(empty): Empty',
    ])
    assert.deepEqual(await bars(`${query}&chart=count`), ['Drama: 2', '(empty): 1', 'Comedy: 1'])
    assert.deepEqual(await choices('group_by=genre&summary='), [])
    assert.deepEqual(await bars(`${query}&chart=nothing`), await bars(query))
    const { text } = await getList(cookie, `${LIST}?${query}&chart=count`)
    assert.include(text, 'chart=amount%3Amax')
  })

  test('[G5.10] a notice names unknown summaries and groupings in the URL, but not those of a shared view', async ({
    assert,
  }) => {
    await makeRole('Clerk', { Sale: { actions: ['view'], hidden: ['amount'] } })
    await giveRoles(ada, ['Clerk'])
    const notes = async (query: string) => {
      const [section = ''] = /<div class="list-notes".*?<\/div>/s.exec(await page(query)) ?? []
      return textOf(section).replaceAll(/\s+/g, ' ').trim()
    }
    assert.include(
      await notes('summary=units:sum,amount:sum,title:sum&group_by=sold_on:week'),
      'do not include them: amount:sum, title:sum, sold_on:week.'
    )
    assert.include(await notes('group_by=amount'), 'do not include it: amount.')
    assert.equal(await notes('summary=&group_by='), '')
    assert.equal(await notes('group_by=booked_at'), '')
    const query = 'group_by=amount&summary=amount:sum'
    const bo = await makeUser('bo')
    const stored = { ownerId: bo.id, model: 'Sale', name: 'Shared', query, shared: true }
    const { id } = await AdminSavedView.create(stored)
    const withheld = await notes(`view=${id}`)
    assert.include(withheld, '2 figures or groups of this view are hidden')
    assert.notInclude(withheld, 'mount')
  })
})
