import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { LucidCrud } from '#crud'
import { Specimen } from '#tests/fixtures/lists'
import { onSqlite } from '#tests/helpers/databases'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { sorted, type Order } from '#tests/helpers/memory_list'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

type Row = Record<string, any>

const TABLES = ['specimens', 'countries', 'seats', 'parcels', 'letters', 'tracks', 'cursor_rows']

async function clear() {
  for (const table of TABLES) await db.from(table).delete()
}

async function read(path: string, query: string): Promise<{ data: Row[]; next_cursor: any }> {
  const { status, body, text } = await get(`/api/${path}?${query}`)
  if (status !== 200) throw new Error(text)
  return body
}

/** All parts of a list, in order. */
async function partsOf(path: string, query: string, between: () => unknown = () => {}) {
  const parts: Row[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { data, next_cursor: next }: any = await read(
      path,
      `${query}&cursor=${encodeURIComponent(cursor)}`
    )
    parts.push(data)
    cursor = next
    await between()
    if (parts.length > 500) throw new Error('There is no end')
  }
  return parts
}

async function walk(path: string, query: string, between?: () => unknown): Promise<Row[]> {
  const parts = await partsOf(path, query, between)
  return parts.flat()
}

const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 4 })
const label = fc.string({ unit: fc.constantFrom(...'aAbBzZäÄß\uFFFD😀 _'), maxLength: 3 })
const BIG = ['9007199254740993', '9007199254740992', '-9007199254740993', '9223372036854775807']

const specimen = fc.record({
  label: nullable(label),
  shade: nullable(label),
  amount: nullable(
    fc.oneof<fc.Arbitrary<number | string>[]>(
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(...BIG)
    )
  ),
  weight: nullable(
    fc.oneof(
      fc.integer({ min: -9, max: 9 }).map((number) => number / 4),
      /* On servers the column has three decimals. */
      onSqlite ? fc.double({ noNaN: true, noDefaultInfinity: true }) : fc.constant(123456789.125)
    )
  ),
  fresh: nullable(fc.boolean()),
  day: nullable(fc.constantFrom('1999-12-31', '2000-01-01', '0987-06-05')),
  /* Some have fractions of a second, which the API leaves out. */
  moment: nullable(
    fc.constantFrom('1999-12-31 23:59:59', '2000-01-01 00:00:00', '2000-01-01 00:00:00.250')
  ),
  clock: nullable(fc.constantFrom('00:00:00', '09:59:00', '10:00:00')),
  mark: nullable(
    fc.constantFrom(
      'aaaaaaaa-0000-4000-8000-000000000000',
      'AAAAAAAA-0000-4000-8000-000000000000',
      'bbbbbbbb-0000-4000-8000-000000000000'
    )
  ),
})
const NAMES = [
  'label',
  'shade',
  'amount',
  'weight',
  'fresh',
  'day',
  'moment',
  'clock',
  'mark',
  'id',
]
const orders: fc.Arbitrary<Order[]> = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.boolean()), {
  maxLength: 4,
})
const rowsOf = (arbitrary: fc.Arbitrary<Row>, most = 40) =>
  fc.array(arbitrary, { minLength: 1, maxLength: most })

function sortOf(order: Order[]): string {
  if (order.length === 0) return ''
  return `sort=${order.map(([name, down]) => (down ? '-' : '') + name).join(',')}`
}

async function store(specimens: Row[]) {
  await db.from('specimens').delete()
  for (let start = 0; start < specimens.length; start += 20) {
    await db.table('specimens').multiInsert(specimens.slice(start, start + 20))
  }
}

test.group('Lists with a cursor', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[Q4] a list is returned in parts, and next_cursor of the last part is null', async ({
    assert,
  }) => {
    await store(Array.from({ length: 5 }, (_, index) => ({ label: `${index}` })))
    const first = await read('specimens', 'cursor=&limit=2')
    assert.deepEqual(Object.keys(first), ['data', 'next_cursor'])
    assert.lengthOf(first.data, 2)
    assert.match(first.next_cursor, /^[\w.-]+$/)
    const parts = await partsOf('specimens', 'limit=2')
    assert.deepEqual(
      parts.map((part) => part.map((row) => row.label)),
      [['0', '1'], ['2', '3'], ['4']]
    )
    /* A list that exactly fills its last part ends there. */
    assert.lengthOf(await partsOf('specimens', 'limit=5'), 1)
    assert.deepEqual(await read('seats', 'cursor='), { data: [], next_cursor: null })
  })

  test('[Q4] a list with a cursor without a limit has the default limit, and the maximum is never exceeded', async ({
    assert,
  }) => {
    await store(Array.from({ length: 1101 }, () => ({ label: 'same' })))
    const sizes = async (query: string) => {
      const parts = await partsOf('specimens', query)
      return parts.map((part) => part.length)
    }
    assert.deepEqual(await sizes(''), [...Array.from({ length: 11 }, () => 100), 1])
    assert.deepEqual(await sizes('limit=5000'), [1000, 101])
    assert.deepEqual(await sizes('limit='), [...Array.from({ length: 11 }, () => 100), 1])
  })

  test('[Q4, A14] the parts together are the whole list, for every sort', async ({ assert }) => {
    const limits = fc.integer({ min: 1, max: 7 })
    await fc.assert(
      fc.asyncProperty(rowsOf(specimen), orders, limits, async (specimens, order, limit) => {
        await store(specimens)
        const sort = sortOf(order)
        const { data: list } = await read('specimens', `limit=1000&${sort}`)
        assert.lengthOf(list, specimens.length)
        assert.deepEqual(await walk('specimens', `limit=${limit}&${sort}`), list)
      }),
      { numRuns: runs(100) }
    )
  }).timeout(120_000)

  test('[Q4, A18] a list with a cursor sorts null first, then texts by code point', async ({
    assert,
  }) => {
    const plain = specimen.map(({ amount, weight, moment, mark, ...rest }) => rest)
    const names = fc.constantFrom('label', 'shade', 'fresh', 'day', 'clock', 'id')
    const order = fc.array(fc.tuple(names, fc.boolean()), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(rowsOf(plain), order, async (specimens, sorts) => {
        await store(specimens)
        const { data } = await read('specimens', 'limit=1000')
        assert.deepEqual(await walk('specimens', `limit=3&${sortOf(sorts)}`), sorted(data, sorts))
      }),
      { numRuns: runs(40) }
    )
  }).timeout(60_000)

  test('[Q4] a list with a cursor can be filtered', async ({ assert }) => {
    const filters = fc.constantFrom(
      'label__contains=a',
      'amount__gte=0',
      'label__or=startswith:a,contains:%25',
      'fresh__eq=true&day__is_not=null',
      'weight__between=-1,1',
      'clock__in=00:00:00,10:00:00'
    )
    await fc.assert(
      fc.asyncProperty(rowsOf(specimen), orders, filters, async (specimens, order, filter) => {
        await store(specimens)
        const query = `${filter}&${sortOf(order)}`
        const { data: list } = await read('specimens', `limit=1000&${query}`)
        assert.deepEqual(await walk('specimens', `limit=2&${query}`), list)
      }),
      { numRuns: runs(50) }
    )
  }).timeout(60_000)

  test('[Q4] rows that exist all the time appear once, despite concurrent inserts and deletions', async ({
    assert,
  }) => {
    const changes = fc.array(
      fc.record({ rows: fc.array(specimen, { maxLength: 4 }), gone: fc.integer({ min: 0 }) }),
      { minLength: 1, maxLength: 20 }
    )
    await fc.assert(
      fc.asyncProperty(rowsOf(specimen), orders, changes, async (specimens, order, script) => {
        await store(specimens)
        const { data: before } = await read('specimens', 'limit=1000')
        let turn = 0
        const between = async () => {
          const { rows, gone } = script[turn++ % script.length]
          if (rows.length > 0 && turn < 30) await db.table('specimens').multiInsert(rows)
          const ids = await db.from('specimens').select('id').orderBy('id')
          if (ids.length > 0) {
            await db
              .from('specimens')
              .where('id', ids[gone % ids.length].id)
              .delete()
          }
        }
        const seen = await walk('specimens', `limit=3&${sortOf(order)}`, between)
        const after = await db.from('specimens').select('id')

        const stayed = new Set(after.map(({ id }) => id))
        const ids = seen.map(({ id }) => id)
        assert.equal(new Set(ids).size, ids.length, 'a row came twice')
        const always = before.map(({ id }) => id).filter((id) => stayed.has(id))
        assert.includeMembers(ids, always)
      }),
      { numRuns: runs(50) }
    )
  }).timeout(120_000)

  test('[Q4, A9] a cursor can continue a list of items with composite or text keys', async ({
    assert,
  }) => {
    const seats = fc.uniqueArray(
      fc.record({
        hall: fc.integer({ min: 1, max: 3 }),
        place: fc.string({ unit: fc.constantFrom(...'aAäz'), minLength: 1, maxLength: 2 }),
        label: fc.constantFrom('x', 'y'),
      }),
      { selector: ({ hall, place }) => `${hall}/${place}`, minLength: 1, maxLength: 30 }
    )
    const sorts = fc.constantFrom(
      '',
      'sort=label',
      'sort=-place',
      'sort=-label,place',
      'sort=-hall'
    )
    await fc.assert(
      fc.asyncProperty(seats, sorts, async (drawn, sort) => {
        await db.from('seats').delete()
        await db.table('seats').multiInsert(drawn)
        const { data: list } = await read('seats', `limit=1000&${sort}`)
        assert.deepEqual(await walk('seats', `limit=2&${sort}`), list)
      }),
      { numRuns: runs(40) }
    )
    const codes = ['b', 'ä', 'B', '10', '9', '😀', '\uFFFD', 'a']
    await db.table('countries').multiInsert(codes.map((code) => ({ code, name: code })))
    for (const sort of ['', 'sort=-code', 'sort=name']) {
      const { data } = await read('countries', `limit=100&${sort}`)
      assert.deepEqual(await walk('countries', `limit=3&${sort}`), data)
    }
  }).timeout(60_000)

  test("[Q4] a cursor can continue a list sorted by bytes, and by numbers that JSON can't represent exactly", async ({
    assert,
  }) => {
    await db.rawQuery(
      `insert into specimens (amount, weight, shade) values
        (1, 9e999, 'a'), (2, -9e999, 'b'), (3, 9007199254740993, 'c'), (4, 9007199254740992, 'd'),
        (5, 0.1, x'00ff'), (6, 1e-320, x'01'), (7, null, 'e'), (8, 9007199254740994, null)`
    )
    for (const sort of ['weight', '-weight', 'shade', '-shade']) {
      const amounts = async (rows: Promise<Row[]>) => {
        const list = await rows
        return list.map(({ amount }) => amount)
      }
      const list = await amounts(its(read('specimens', `limit=100&sort=${sort}`), 'data'))
      assert.deepEqual(await amounts(walk('specimens', `limit=1&sort=${sort}`)), list)
    }
  }).skip(!onSqlite, 'values of any type stand in any column of SQLite alone')

  test('[Q4, A22] a cursor can continue a list of deleted items, and is bound to the deleted parameter', async ({
    assert,
  }) => {
    await db.table('letters').multiInsert(
      Array.from({ length: 7 }, (_, index) => ({
        title: `letter ${index}`,
        deleted_at: index % 2 ? '2026-01-01 00:00:00' : null,
      }))
    )
    for (const deleted of ['exclude', 'include', 'only']) {
      const { data } = await read('letters', `deleted=${deleted}&sort=-title`)
      assert.deepEqual(await walk('letters', `deleted=${deleted}&sort=-title&limit=2`), data)
    }
    const { next_cursor: cursor } = await read('letters', 'cursor=&limit=1')
    assert.equal(await its(get(`/api/letters?limit=1&cursor=${cursor}`), 'status'), 200)
    const other = await get(`/api/letters?limit=1&deleted=include&cursor=${cursor}`)
    assert.equal(other.status, 422)
    assert.equal(other.body.errors[0].field, 'cursor')
  })

  test('[Q4] a cursor used with other parameters is a 422', async ({ assert }) => {
    await store(Array.from({ length: 9 }, (_, index) => ({ label: `a${index}`, amount: index })))
    await db.table('letters').multiInsert([{ title: 'a' }, { title: 'b' }])
    const made = 'sort=-label&amount__gte=1&label__like=a%25'
    const { next_cursor: cursor } = await read('specimens', `${made}&cursor=&limit=2`)
    const same = await read(
      'specimens',
      `limit=7&label__like=a%25&sort=-label&amount__gte=1&cursor=${cursor}`
    )
    assert.lengthOf(same.data, 6)

    for (const query of [
      'amount__gte=1&label__like=a%25',
      'sort=label&amount__gte=1&label__like=a%25',
      'sort=-label,amount&amount__gte=1&label__like=a%25',
      'sort=-label&label__like=a%25',
      'sort=-label&amount__gte=2&label__like=a%25',
      'sort=-label&amount__gt=1&label__like=a%25',
      'sort=-label&amount__gte=1&label__like=a_',
      'sort=-label&amount__gte=1&label__ilike=a%25',
      `${made}&fresh__eq=true`,
    ]) {
      const { status, body } = await get(`/api/specimens?${query}&cursor=${cursor}`)
      assert.equal(status, 422, query)
      assert.equal(body.errors[0].field, 'cursor')
    }
    for (const path of ['letters', 'memos']) {
      const { next_cursor: another } = await read('specimens', 'cursor=&limit=2')
      assert.equal(await its(get(`/api/${path}?cursor=${another}`), 'status'), 422)
    }
    /* The same order in another notation is the same list. */
    const { next_cursor: byKey } = await read('specimens', 'cursor=&limit=2')
    assert.equal(await its(get(`/api/specimens?sort=id&cursor=${byKey}`), 'status'), 200)
  })

  test('[Q4] a cursor that was modified is a 422', async ({ assert }) => {
    await store(Array.from({ length: 3 }, () => ({ label: 'a' })))
    const { next_cursor: cursor } = await read('specimens', 'cursor=&limit=2&sort=label')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%3D'
    for (let index = 0; index < cursor.length; index++) {
      const other = alphabet[(alphabet.indexOf(cursor[index]) + 1) % 64]
      const touched = cursor.slice(0, index) + other + cursor.slice(index + 1)
      const { status } = await get(`/api/specimens?sort=label&cursor=${touched}`)
      assert.equal(status, 422, `${index}`)
    }
    const tampered = fc.oneof(
      fc.string({ minLength: 1 }),
      fc
        .tuple(fc.nat(cursor.length - 1), fc.constantFrom(...alphabet))
        .map(([at, sign]) =>
          cursor[at] === sign ? 'x' : cursor.slice(0, at) + sign + cursor.slice(at + 1)
        ),
      fc.nat(cursor.length - 1).map((at) => cursor.slice(0, at) || 'x'),
      fc.string({ minLength: 1 }).map((more) => cursor + more),
      fc.constantFrom('null', '[]', 'x'.repeat(5000), `${cursor}${cursor}`, '.', 'c..')
    )
    await fc.assert(
      fc.asyncProperty(tampered, async (text) => {
        const { status, body } = await get(
          `/api/specimens?sort=label&cursor=${encodeURIComponent(text)}`
        )
        assert.equal(status, 422, text)
        assert.equal(body.errors[0].field, 'cursor')
      }),
      { numRuns: runs(200) }
    )
    assert.equal(await its(get('/api/specimens?cursor=&cursor='), 'status'), 422)
    assert.equal(await its(get('/api/specimens?cursor[]='), 'status'), 422)
  }).timeout(30_000)

  test('[Q4] a cursor does not reveal its content', async ({ assert }) => {
    await store([
      { id: 11, label: 'sesame street' },
      { id: 12, label: 'sesame street' },
    ])
    const { next_cursor: cursor } = await read('specimens', 'cursor=&limit=1&sort=label')
    for (const part of cursor.split('.')) {
      assert.notInclude(Buffer.from(part, 'base64url').toString(), 'sesame')
    }
  })

  test('[Q4] the key of a list with a cursor can be hidden, or left out by fields', async ({
    assert,
  }) => {
    await db
      .table('cursor_rows')
      .multiInsert(
        Array.from({ length: 5 }, (_, index) => ({ id: `secret-${index}`, name: `n${index % 2}` }))
      )
    const rows = await walk('cursor-rows', 'limit=2&sort=-name')
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      ['n1', 'n1', 'n0', 'n0', 'n0'].map((name) => ({ name }))
    )
    await store(Array.from({ length: 5 }, (_, index) => ({ label: `${index}`, amount: 1 })))
    const fields = await walk('specimens', 'limit=2&sort=amount&fields=label')
    assert.deepEqual(
      fields,
      Array.from({ length: 5 }, (_, index) => ({ label: `${index}` }))
    )
  })

  test('[Q4] a cursor can continue a list whose rows are read as model instances', async ({
    assert,
  }) => {
    const tracks = Array.from({ length: 7 }, (_, index) => ({
      title: `t${index}`,
      duration: index % 3 === 0 ? null : index % 2,
    }))
    await db.table('tracks').multiInsert(tracks)
    for (const path of ['timed-tracks', 'self-made-tracks']) {
      const { data } = await read(path, 'sort=-duration&limit=100')
      assert.deepEqual(await walk(path, 'sort=-duration&limit=2'), data)
      assert.notInclude(JSON.stringify(data), 'crud_')
    }
  })

  test('[Q4] a cursor together with {$self} is 400')
    .with(['page=1', 'itemsPerPage=5', 'offset=0', 'page=1&offset=0', 'count=true'])
    .run(async ({ assert }, query) => {
      for (const path of ['specimens', 'letters']) {
        const { status, body } = await get(`/api/${path}?cursor=&${query}`)
        assert.equal(status, 400)
        assert.include(body.detail, 'Conflicting parameters')
      }
    })

  test('[Q4, A13] a cursor together with the invalid parameter {$self} is a 422')
    .with(['limit=0', 'limit=-1', 'limit=x', 'offset=x', 'page=0'])
    .run(async ({ assert }, query) => {
      assert.equal(await its(get(`/api/specimens?cursor=&${query}`), 'status'), 422)
    })

  test('[Q4, A13] empty parameters of other kinds of paging are treated as missing next to a cursor', async ({
    assert,
  }) => {
    const { status, body } = await get('/api/specimens?cursor=&page=&offset=&itemsPerPage=')
    assert.equal(status, 200)
    assert.deepEqual(body, { data: [], next_cursor: null })
  })

  test('[Q4] a list with a cursor uses an index on its first sort column', async ({ assert }) => {
    const rows = Array.from({ length: 60 }, (_, index) => ({
      amount: index % 4 ? index % 7 : null,
      label: `${index % 5}`,
    }))
    await store(rows)
    await db.rawQuery('create index cursor_amount on specimens (amount)')
    await db.rawQuery('create index cursor_label on specimens (label)')
    try {
      for (const sort of ['amount', '-amount', 'label', '-label,amount', 'id', '-id']) {
        const queries = await queriesOf(() => walk('specimens', `limit=7&sort=${sort}`))
        assert.isAbove(queries.length, 8)
        for (const sql of queries) {
          const steps: Row[] = await db.rawQuery(`explain query plan ${sql}`)
          const plan = steps.map(({ detail }) => detail).join('; ')
          assert.match(plan, /USING (INDEX cursor_|INTEGER PRIMARY KEY)|^SCAN specimens$/, sql)
          assert.notMatch(plan, /TEMP B-TREE FOR ORDER BY|MULTI-INDEX/, `${sort}: ${sql}`)
        }
      }
    } finally {
      await db.rawQuery('drop index cursor_amount')
      await db.rawQuery('drop index cursor_label')
    }
  }).skip(process.env.DB_CONNECTION !== 'sqlite', 'it is the plan of SQLite')

  test('[Q4, Q5] a list with a cursor runs no count query', async ({ assert }) => {
    await store([{ label: 'a' }, { label: 'b' }])
    for (const query of ['cursor=', 'cursor=&count=false', 'cursor=&limit=1&sort=-label']) {
      const queries = await queriesOf(() => read('specimens', query))
      assert.lengthOf(queries, 1)
      assert.notInclude(queries[0], 'count(')
    }
  })

  test('[Q4, Q6] repeating a request for a part of the list returns the same entity tag', async ({
    assert,
  }) => {
    await store([{ label: 'a' }, { label: 'b' }])
    const first = await get('/api/specimens?cursor=&limit=1')
    const tag = first.headers.get('etag')!
    const again = await get('/api/specimens?cursor=&limit=1', {
      headers: { 'if-none-match': tag },
    })
    assert.match(tag, /^W\//)
    assert.equal(again.status, 304)
  })

  test('[Q4] a value that is too long to be in a cursor is a 422 that names its field', async ({
    assert,
  }) => {
    const text = 'x'.repeat(5000)
    await store([{ label: text }, { label: text }, { label: 'short' }, { label: 'short' }])
    const { status, body } = await get('/api/specimens?cursor=&limit=3&sort=label')
    assert.equal(status, 422)
    assert.equal(body.errors[0].field, 'cursor')
    assert.include(body.detail, 'one of label;')
    assert.lengthOf(await walk('specimens', 'limit=1'), 4)
    assert.lengthOf(await walk('specimens', 'limit=2&sort=label'), 4)
    const longer = 'ä'.repeat(255)
    await store([
      { label: longer, shade: longer },
      { label: longer, shade: longer },
    ])
    assert.lengthOf(await walk('specimens', 'limit=1&sort=label,shade'), 2)
  })

  test('[Q4, A17] a declared filter with the name cursor takes precedence over the parameter', async ({
    assert,
  }) => {
    await db.table('cursor_rows').multiInsert([
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
    ])
    const body = (await read('cursor-filters', 'cursor=b')) as any
    assert.deepEqual(body, { data: [{ cursor: 'b' }], total_count: 1 })
    const { status } = await get('/api/cursor-filters?cursor=b&page=1')
    assert.equal(status, 200)
  })

  test('[Q4, A19] strictQuery accepts cursor for lists only', async ({ assert }) => {
    await store([{ id: 1 }])
    app.config.set('crud.strictQuery', true)
    try {
      assert.equal(await its(get('/api/specimens?cursor='), 'status'), 200)
      assert.equal(await its(get('/api/specimens/1?cursor='), 'status'), 422)
      const { body } = await get('/api/specimens?cursors=')
      assert.include(body.detail, '"cursor"')
    } finally {
      app.config.set('crud.strictQuery', false)
    }
  })

  test('[Q4, P8] application code can use cursors', async ({ assert }) => {
    await store(Array.from({ length: 5 }, (_, index) => ({ label: `${index}` })))
    const specimens = new LucidCrud(Specimen)
    const query = { filters: { label__gte: '1' }, sort: '-label', limit: 3 }
    const first = await specimens.getMulti({ ...query, cursor: '' })
    assert.sameMembers(Object.keys(first), ['data', 'next_cursor'])
    const second = await specimens.getMulti({ ...query, cursor: first.next_cursor! })
    assert.deepEqual(
      second.data.map((row) => row.label),
      ['1']
    )
    assert.isNull(second.next_cursor)
    await assert.rejects(() => specimens.getMulti({ cursor: first.next_cursor! }), /next_cursor/)
    for (const wrong of [
      { page: 1 },
      { offset: 1 },
      { itemsPerPage: 1 },
      { limit: 0 },
      { count: true },
    ]) {
      await assert.rejects(() => specimens.getMulti({ cursor: '', ...wrong }), /cursor|limit/)
    }
  })
})
