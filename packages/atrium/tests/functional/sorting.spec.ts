import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { get } from '#tests/helpers/http'
import { sorted, type Order } from '#tests/helpers/memory_list'
import { runs } from '#tests/helpers/random_runs'

type Row = Record<string, any>

async function clear() {
  for (const table of ['specimens', 'countries', 'seats', 'samples']) await db.from(table).delete()
}

async function rows(path: string, query: string = ''): Promise<Row[]> {
  const { status, text, body } = await get(`/api/${path}?limit=1000&${query}`)
  if (status !== 200) throw new Error(text)
  return body.data
}

async function column(path: string, name: string, query: string = ''): Promise<unknown[]> {
  const found = await rows(path, query)
  return found.map((row) => row[name])
}

test.group('Sorting', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[A14] without a sort the list is ordered by key, whatever the insertion order', async ({
    assert,
  }) => {
    await db.table('specimens').multiInsert([{ id: 30 }, { id: 5 }, { id: 100 }, { id: 7 }])
    assert.deepEqual(await column('specimens', 'id'), [5, 7, 30, 100])
  })

  test('[A14] text keys are sorted by code point', async ({ assert }) => {
    const codes = ['b', 'ä', 'B', '10', '9', '😀', '\uFFFD', 'a']
    await db
      .table('countries')
      .multiInsert(codes.map((code, index) => ({ code, name: `${index % 2}-${index}` })))
    const ordered = ['10', '9', 'B', 'a', 'b', 'ä', '\uFFFD', '😀']
    assert.deepEqual(await column('countries', 'code'), ordered)
    assert.deepEqual(await column('countries', 'code', 'sort=-code'), ordered.toReversed())
  })

  test('[A14] a composite key is sorted by its columns, and decides between equal values', async ({
    assert,
  }) => {
    const seats = [
      { hall: 2, place: 'a', label: 'x' },
      { hall: 1, place: 'b', label: 'y' },
      { hall: 1, place: 'a', label: 'x' },
      { hall: 10, place: 'a', label: 'x' },
    ]
    await db.table('seats').multiInsert(seats)
    const places = async (query: string) => {
      const found = await rows('seats', query)
      return found.map(({ hall, place }) => `${hall}${place}`)
    }
    assert.deepEqual(await places(''), ['1a', '1b', '2a', '10a'])
    assert.deepEqual(await places('sort=label'), ['1a', '2a', '10a', '1b'])
    assert.deepEqual(await places('sort=place,-hall'), ['10a', '2a', '1a', '1b'])
  })

  test('[A14] the key decides between equal values in ascending order, whatever the direction of the sort', async ({
    assert,
  }) => {
    await db
      .table('specimens')
      .multiInsert([4, 2, 9, 7].map((id) => ({ id, label: id > 5 ? 'b' : 'a' })))
    assert.deepEqual(await column('specimens', 'id', 'sort=label'), [2, 4, 7, 9])
    assert.deepEqual(await column('specimens', 'id', 'sort=-label'), [7, 9, 2, 4])
    assert.deepEqual(await column('specimens', 'id', 'sort=label,-id'), [4, 2, 9, 7])
  })

  test('[A14] no row is skipped or repeated if all values are equal', async ({ assert }) => {
    await db.table('specimens').multiInsert(Array.from({ length: 100 }, () => ({ label: 'same' })))
    const all = await column('specimens', 'id')
    const seen: unknown[] = []
    for (let page = 1; page <= 34; page++) {
      const { body } = await get(`/api/specimens?sort=-label&page=${page}&itemsPerPage=3`)
      seen.push(...body.data.map((row: Row) => row.id))
    }
    assert.deepEqual(seen, all)
  })

  test('[A15] a list can be sorted by several columns, and a minus reverses one of them', async ({
    assert,
  }) => {
    await db.table('specimens').multiInsert([
      { label: 'a', amount: 1 },
      { label: 'b', amount: 1 },
      { label: 'a', amount: 2 },
      { label: 'b', amount: 2 },
    ])
    const pairs = async (query: string) => {
      const found = await rows('specimens', query)
      return found.map(({ label, amount }) => `${label}${amount}`)
    }
    assert.deepEqual(await pairs('sort=label,-amount'), ['a2', 'a1', 'b2', 'b1'])
    assert.deepEqual(await pairs('sort=-amount,label'), ['a2', 'b2', 'a1', 'b1'])
    assert.deepEqual(await pairs('sort=-amount,-label'), ['b2', 'a2', 'b1', 'a1'])
    assert.deepEqual(await pairs('sort=label,amount'), ['a1', 'a2', 'b1', 'b2'])
    assert.deepEqual(await pairs('sort=amount,-amount,-label'), ['b1', 'a1', 'b2', 'a2'])
  })

  test('[A15] the sort "{$self}" is a 422 that lists the names, except hidden ones')
    .with([
      '',
      ',',
      'name,',
      ',name',
      'name,,count',
      '-',
      '--name',
      'Name',
      'longText',
      'secret',
      '-secret',
      'data',
      'bytes',
      'nothing',
      '__proto__',
      'constructor',
      'name desc',
      'name;drop table samples',
      "name'",
      '`name`',
      'name/**/',
      'name--',
      '(select secret from samples)',
      'samples.name',
      '1',
      'random()',
    ])
    .run(async ({ assert }, sort) => {
      const { status, headers, body } = await get(`/api/samples?sort=${encodeURIComponent(sort)}`)
      assert.equal(status, 422)
      assert.match(headers.get('content-type')!, /^application\/problem\+json/)
      assert.equal(body.errors[0].field, 'sort')
      assert.include(body.detail, 'plain_moment')
      assert.notInclude(body.detail, 'secret')
    })

  test('[A15] a repeated or nested parameter sort is a 422', async ({ assert }) => {
    for (const query of ['sort=name&sort=count', 'sort[]=name', 'sort[name]=asc']) {
      const { status } = await get(`/api/samples?${query}`)
      assert.equal(status, 422, query)
    }
  })

  test('[A15, A18] columns of all types are sorted like an in-memory list', async ({ assert }) => {
    const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 4 })
    const label = fc.string({ unit: fc.constantFrom(...'aAbBzZäÄß\uFFFD😀 _'), maxLength: 3 })
    const row = fc.record({
      label: nullable(label),
      shade: nullable(label),
      amount: nullable(fc.integer({ min: -5, max: 5 })),
      weight: nullable(fc.integer({ min: -9, max: 9 }).map((number) => number / 4)),
      fresh: nullable(fc.boolean()),
      day: nullable(fc.constantFrom('1999-12-31', '2000-01-01', '0987-06-05')),
      moment: nullable(fc.constantFrom('1999-12-31 23:59:59', '2000-01-01 00:00:00')),
      clock: nullable(fc.constantFrom('00:00:00', '09:59:00', '10:00:00')),
    })
    const names = ['label', 'shade', 'amount', 'weight', 'fresh', 'day', 'moment', 'clock', 'id']
    const orders: fc.Arbitrary<Order[]> = fc.array(
      fc.tuple(fc.constantFrom(...names), fc.boolean()),
      { minLength: 1, maxLength: 4 }
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), orders, async (...drawn) => {
        const [specimens, order] = drawn
        await db.from('specimens').delete()
        await db.table('specimens').multiInsert(specimens)
        const wanted = sorted((await rows('specimens')) as Row[], order)
        const sort = order.map(([name, down]) => (down ? '-' : '') + name).join(',')
        assert.deepEqual(await rows('specimens', `sort=${sort}`), wanted)
      }),
      { numRuns: runs(60) }
    )
  })
})
