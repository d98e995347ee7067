import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import type { Column } from '#base/columns/column'
import { sqliteSum } from '#base/database/sqlite/sqlite_sums'
import { totalOf } from '#base/values/decimal_sum'
import { LucidCrud } from '#crud'
import { Sale } from '#tests/fixtures/aggregates'
import { insertRow, onSqlite } from '#tests/helpers/databases'
import { get, statusOf } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

const PATH = '/api/aggregate-sales/aggregate'

type Row = Record<string, any>

async function insert(...rows: Row[]): Promise<void> {
  for (const row of rows) await insertRow('aggregate_sales', { title: 'one', ...row })
}

async function data(query: string, path: string = PATH): Promise<Row[]> {
  const { body, status, text } = await get(`${path}?${query}`)
  if (status !== 200) throw new Error(text)
  return body.data
}

/** Sums values by the expressions for SQLite. */
async function sumOf(values: unknown[], hasOtherForms: boolean): Promise<string | null> {
  const parts = sqliteSum('v', { hasOtherForms } as Column)
  const list = parts.map(({ sql }, index) => `${sql} as p${index}`)
  const all = values.map(() => 'select ? as v').join(' union all ')
  const [row] = await db.rawQuery(`select ${list} from (${all})`, values as any[])
  return totalOf(parts.map(({ exponent }, index) => ({ value: row[`p${index}`], exponent })))
}

async function refused(query: string, path: string = PATH) {
  const { body, status } = await get(`${path}?${query}`)
  return [status, body.errors?.[0]?.field]
}

test.group('Aggregates of the API', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => void (await db.from('aggregate_sales').delete()))

  test('[G5] items are counted and decimals summed in groups, and null values form a separate group', async ({
    assert,
  }) => {
    await insert(
      { genre: 'Drama', amount: '100.10', units: 3 },
      { genre: 'Drama', amount: '23.35', units: 4 },
      { genre: 'Comedy', amount: '0.1', units: null },
      { genre: null, amount: null, units: 5 },
      { genre: 'drama', amount: '-1', units: 1 }
    )
    assert.deepEqual(await data('group_by=genre&select=count,sum:amount,sum:units'), [
      { 'genre': null, 'count': 1, 'sum:amount': null, 'sum:units': 5 },
      { 'genre': 'Comedy', 'count': 1, 'sum:amount': '0.1', 'sum:units': null },
      { 'genre': 'Drama', 'count': 2, 'sum:amount': '123.45', 'sum:units': 7 },
      { 'genre': 'drama', 'count': 1, 'sum:amount': '-1', 'sum:units': 1 },
    ])
    assert.deepEqual(await data(''), [{ count: 5 }])
    assert.deepEqual(await data('group_by=genre&sort=-count,-genre&limit=2'), [
      { genre: 'Drama', count: 2 },
      { genre: 'drama', count: 1 },
    ])
    assert.deepEqual(await data('group_by=genre&select=sum:amount&sort=-sum:amount'), [
      { 'genre': 'Drama', 'sum:amount': '123.45' },
      { 'genre': 'Comedy', 'sum:amount': '0.1' },
      { 'genre': 'drama', 'sum:amount': '-1' },
      { 'genre': null, 'sum:amount': null },
    ])
  })

  test('[G5, G5.2] sums, averages, minimum and maximum of decimals and 64-bit integers are exact', async ({
    assert,
  }) => {
    const big = '9007199254740993'
    await insert(
      ...Array.from({ length: 10 }, () => ({ amount: '0.1', units: big })),
      { amount: '12345678901.2345', units: '9223372036854775807' },
      { amount: '-0.0005', units: '-3' }
    )
    const select = ['sum', 'avg', 'min', 'max'].flatMap((of) => [`${of}:amount`, `${of}:units`])
    assert.deepEqual(await data(`select=${select}`), [
      {
        'sum:amount': '12345678902.234',
        'sum:units': String(9223372036854775807n + 10n * BigInt(big) - 3n),
        'avg:amount': '1028806575.1861666667',
        'avg:units': '776120335783515477.8333333333',
        'min:amount': '-0.0005',
        'min:units': -3,
        'max:amount': '12345678901.2345',
        'max:units': '9223372036854775807',
      },
    ])
  })

  test('[G5] the sum of random decimals equals their sum computed with integers', async ({
    assert,
  }) => {
    const amounts = fc.array(fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }), {
      minLength: 1,
      maxLength: 12,
    })
    const written = (digits: bigint) => {
      const text = String(digits < 0n ? -digits : digits).padStart(5, '0')
      const numeral = `${text.slice(0, -4)}.${text.slice(-4)}`.replace(/\.?0+$/, '')
      return (digits < 0n ? '-' : '') + numeral
    }
    await fc.assert(
      fc.asyncProperty(amounts, async (all) => {
        await db.from('aggregate_sales').delete()
        await insert(...all.map((digits) => ({ amount: written(BigInt(digits)) })))
        const [found] = await data('select=sum:amount,min:amount')
        const total = all.reduce((sum, digits) => sum + BigInt(digits), 0n)
        assert.equal(found['sum:amount'], written(total))
        assert.equal(found['min:amount'], written(BigInt(Math.min(...all))))
      }),
      { numRuns: runs(80) }
    )
  })

  test('[G5] items can be grouped by booleans, dates and datetimes, whose minimum and maximum are returned', async ({
    assert,
  }) => {
    await insert(
      { paid: true, sold_on: '2026-01-31', booked_at: '2026-01-31 23:59:59' },
      { paid: false, sold_on: '2026-02-01', booked_at: '2026-02-01 00:00:00' },
      { paid: true, sold_on: '2026-01-31', booked_at: null }
    )
    assert.deepEqual(await data('group_by=sold_on,paid&select=count,max:booked_at'), [
      {
        'sold_on': '2026-01-31',
        'paid': true,
        'count': 2,
        'max:booked_at': '2026-01-31 23:59:59',
      },
      {
        'sold_on': '2026-02-01',
        'paid': false,
        'count': 1,
        'max:booked_at': '2026-02-01 00:00:00',
      },
    ])
    assert.deepEqual(await data('group_by=booked_at&select=min:sold_on'), [
      { 'booked_at': null, 'min:sold_on': '2026-01-31' },
      { 'booked_at': '2026-01-31 23:59:59', 'min:sold_on': '2026-01-31' },
      { 'booked_at': '2026-02-01 00:00:00', 'min:sold_on': '2026-02-01' },
    ])
  })

  test('[G5.7] dates are grouped by month and year, and other columns are refused', async ({
    assert,
  }) => {
    await insert(
      { sold_on: '2025-12-31', amount: '1' },
      { sold_on: '2026-01-01', amount: '2' },
      { sold_on: '2026-01-31', amount: '3' },
      { sold_on: null, amount: '4' }
    )
    assert.deepEqual(await data('group_by=sold_on:month&select=sum:amount'), [
      { 'sold_on:month': null, 'sum:amount': '4' },
      { 'sold_on:month': '2025-12', 'sum:amount': '1' },
      { 'sold_on:month': '2026-01', 'sum:amount': '5' },
    ])
    assert.deepEqual(await data('group_by=sold_on:year&sort=-sold_on:year'), [
      { 'sold_on:year': '2026', 'count': 2 },
      { 'sold_on:year': '2025', 'count': 1 },
      { 'sold_on:year': null, 'count': 1 },
    ])
    const byYear = 'group_by=sold_on:year,genre&select=count,sum:amount'
    assert.deepEqual(await data(byYear, '/api/aggregate-judged/aggregate'), await data(byYear))
    for (const name of ['sold_on:week', 'booked_at:month', 'genre:month', 'margin:month']) {
      const { status } = await get(`${PATH}?group_by=${name}`)
      assert.equal(status, 422, name)
    }
  })

  test('[G5] without items the count is 0, and a grouped aggregation has no rows', async ({
    assert,
  }) => {
    assert.deepEqual(await data('select=count,sum:amount,avg:units,min:sold_on'), [
      { 'count': 0, 'sum:amount': null, 'avg:units': null, 'min:sold_on': null },
    ])
    assert.deepEqual(await data('group_by=genre&select=count'), [])
  })

  test('[G5] aggregates obey the filters of the list, and exclude deleted items', async ({
    assert,
  }) => {
    await insert(
      { genre: 'Drama', amount: '5', title: 'a' },
      { genre: 'Drama', amount: '7', title: 'ab' },
      { genre: 'Comedy', amount: '9', title: 'b' },
      { genre: 'Comedy', amount: '11', deleted_at: '2026-01-01 00:00:00' }
    )
    assert.deepEqual(await data('amount__gte=6&title__contains=b&select=count,sum:amount'), [
      { 'count': 2, 'sum:amount': '16' },
    ])
    assert.deepEqual(await data('genre=Comedy'), [{ count: 1 }])
    assert.deepEqual(await data('genre=Comedy&deleted=include'), [{ count: 2 }])
    assert.deepEqual(await refused('amount__gte=x'), [422, 'amount__gte'])
  })

  test('[G5, G5.3] unknown, hidden and computed columns, sums of texts and limits above the maximum are refused', async ({
    assert,
  }) => {
    assert.deepEqual(await refused('select=sum:title'), [422, 'select'])
    assert.deepEqual(await refused('select=sum:nothing'), [422, 'select'])
    assert.deepEqual(await refused('select=sum:margin'), [422, 'select'])
    assert.deepEqual(await refused('select=sum:fee'), [422, 'select'])
    assert.deepEqual(await refused('select=sum:sold_on'), [422, 'select'])
    assert.deepEqual(await refused('select=median:amount'), [422, 'select'])
    assert.deepEqual(await refused('group_by=margin'), [422, 'group_by'])
    assert.deepEqual(await refused('group_by=fee'), [422, 'group_by'])
    assert.deepEqual(await refused('group_by=constructor'), [422, 'group_by'])
    assert.deepEqual(await refused('sort=amount'), [422, 'sort'])
    assert.deepEqual(await refused('group_by=genre&limit=1001'), [422, 'limit'])
    assert.deepEqual(await refused('group_by=genre&limit=0'), [422, 'limit'])
    await insert({ code: 4, genre: 'Drama' })
    assert.deepEqual(await data('group_by=genre&select=sum:code&limit=1000'), [
      { 'genre': 'Drama', 'sum:code': 4 },
    ])
  })

  test('[G5] aggregates have a path of their own, which can be renamed and takes precedence over keys', async ({
    assert,
  }) => {
    await insert({})
    assert.equal(await statusOf(get('/api/aggregate-none/aggregate')), 422)
    assert.deepEqual(await data('', '/api/aggregate-renamed/totals'), [{ count: 1 }])
    assert.equal(await statusOf(get('/api/aggregate-renamed/aggregate')), 422)
  })

  test('[G5] aggregates obey scope and policy, the policy also for each record', async ({
    assert,
  }) => {
    await insert(
      { title: 'mine 1', genre: 'Drama', amount: '1.1', units: '9007199254740993' },
      { title: 'mine 2', genre: 'Drama', amount: '2.2' },
      { title: 'secret', genre: 'Drama', amount: '4.4' }
    )
    const query = 'group_by=genre&select=count,sum:amount,avg:amount,min:amount,max:units'
    assert.deepEqual(await data(query, '/api/aggregate-scoped/aggregate'), [
      {
        'genre': 'Drama',
        'count': 2,
        'sum:amount': '3.3',
        'avg:amount': '1.65',
        'min:amount': '1.1',
        'max:units': '9007199254740993',
      },
    ])
    assert.deepEqual(
      await data(query, '/api/aggregate-judged/aggregate'),
      await data(query, '/api/aggregate-scoped/aggregate')
    )
    assert.deepEqual(await data('', '/api/aggregate-judged/aggregate'), [{ count: 2 }])
    assert.equal(await statusOf(get('/api/aggregate-refused/aggregate')), 403)
  })

  test('[G5] LucidCrud.aggregate returns the aggregates of a list to application code', async ({
    assert,
  }) => {
    await insert({ genre: 'Drama', amount: '0.1' }, { genre: 'Drama', amount: '0.2' })
    const crud = new LucidCrud(Sale)
    const rows = await crud.aggregate(
      { filters: { genre: 'Drama' } },
      { groupBy: 'genre', select: ['count', 'sum:amount'] }
    )
    assert.deepEqual(rows, [{ 'genre': 'Drama', 'count': 2, 'sum:amount': '0.3' }])
    await assert.rejects(() => crud.aggregate({}, { select: 'sum:genre' }), /sum of genre/)
  })

  test('[G5] on SQLite, values of another type than that of the column are ignored by aggregates', async ({
    assert,
  }) => {
    await insert({ amount: '1.5' }, { units: 7 })
    await db.rawQuery(`update aggregate_sales set amount = 'rubbish' where units = 7`)
    assert.deepEqual(await data('select=sum:amount,avg:amount,max:amount'), [
      { 'sum:amount': '1.5', 'avg:amount': '1.5', 'max:amount': '1.5' },
    ])
  }).skip(!onSqlite)

  test('[G5] on SQLite, sums include decimals that are stored as texts, and floats beyond 64 bits', async ({
    assert,
  }) => {
    const texts = [
      '123456789012345678901.123456789012345678',
      '-0.5',
      ' 7 ',
      '1e2',
      '',
      '-',
      '1.2.3',
    ]
    assert.equal(await sumOf(texts, true), '123456789012345679007.623456789012345678')
    assert.equal(await sumOf([0.1, 0.2, 3, '4.05', null], true), '7.35')
    assert.equal(await sumOf([1e20, 1, null], false), '100000000000000000000')
    assert.equal(await sumOf([-0.07, 1234567890123.07, '5'], false), '1234567890123')
    assert.isNull(await sumOf([null, 'x'], false))
  }).skip(!onSqlite)
  test('[G5.2] sums are exact if only some groups allow fast summing, and totals equal those of all groups', async ({
    assert,
  }) => {
    const crud = new LucidCrud(Sale)
    const select = ['sum', 'avg', 'min', 'max'].map((of) => `${of}:amount`)
    const read = async () => {
      const totals: Row[] = []
      const options = { groupBy: 'genre', select: ['count', ...select, 'max:sold_on'] }
      await crud.aggregate({}, { ...options, totals: (row) => totals.push(row) })
      const [whole] = await crud.aggregate({}, { select: options.select })
      assert.deepEqual(totals, [whole])
      return whole['sum:amount']
    }
    await insert(
      { genre: 'Drama', amount: '0.1', sold_on: '2026-01-02' },
      { genre: 'Drama', amount: '0.2', sold_on: '2026-03-04' },
      { genre: 'Comedy', amount: '-99999999999.9999' },
      { genre: null, amount: null }
    )
    assert.equal(await read(), '-99999999999.6999')
    await insert({ genre: 'Comedy', amount: '123456789012.345' })
    assert.equal(await read(), '23456789012.6451')
    await insert(
      ...Array.from({ length: 12 }, () => ({ genre: 'Sum', amount: '90071992547.4099' }))
    )
    assert.equal(await read(), '1104320699581.5639')
    const totals: Row[] = []
    await crud.aggregate({}, { groupBy: 'genre', limit: 2, totals: (row) => totals.push(row) })
    assert.isEmpty(totals)
  })

  test('[G5.2] on SQLite, sums of floats with any number of decimals are exact', async ({
    assert,
  }) => {
    const amount = fc.tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.nat({ max: 9 }))
    await fc.assert(
      fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 9 }), async (all) => {
        const sum = await sumOf(
          all.map(([digits, decimals]) => digits / 10 ** decimals),
          false
        )
        const expected = all.map(([digits, decimals]) => ({ value: digits, exponent: -decimals }))
        assert.equal(sum, totalOf(expected))
      }),
      { numRuns: runs(80) }
    )
  }).skip(!onSqlite)
})
