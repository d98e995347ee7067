import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import type { CrudConfig } from '#crud/define_config'
import { call, get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

async function clear() {
  await db.from('memos').delete()
}

/** Creates memos with the titles 1, 2, 3 and so on. */
async function fill(count: number) {
  const memos = Array.from({ length: count }, (_, index) => ({
    title: String(index + 1),
    is_deleted: false,
  }))
  for (let start = 0; start < count; start += 200) {
    await db.table('memos').multiInsert(memos.slice(start, start + 200))
  }
}

async function list(query: string) {
  const response = await get(`/api/memos?${query}`)
  return response.body
}

async function titles(query: string): Promise<string[]> {
  const { data } = await list(query)
  return data.map((memo: { title: string }) => memo.title)
}

/** Titles from the first to the last number. */
function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index))
}

test.group('Paging', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(async () => {
    await clear()
    await fill(125)
    return clear
  })

  test('[A10, S2] without parameters a list has the first 100 items and the total count', async ({
    assert,
  }) => {
    const response = await get('/api/memos')
    assert.equal(response.status, 200)
    assert.deepEqual(Object.keys(response.body), ['data', 'total_count'])
    assert.lengthOf(response.body.data, 100)
    assert.equal(response.body.total_count, 125)
    assert.deepEqual(await titles(''), numbers(1, 100))
  })

  test('[A10] offset without limit uses limit 100, limit without offset uses offset 0', async ({
    assert,
  }) => {
    assert.deepEqual(await titles('offset=20'), numbers(21, 120))
    assert.deepEqual(await titles('limit=3'), numbers(1, 3))
    assert.deepEqual(await titles('offset=120&limit=3'), numbers(121, 123))
    assert.deepEqual(Object.keys(await list('offset=20')), ['data', 'total_count'])
  })

  test('[A10] a list with limit=0 returns no items and the total count', async ({ assert }) => {
    assert.deepEqual(await list('limit=0'), { data: [], total_count: 125 })
    assert.deepEqual(await list('limit=0&offset=200'), { data: [], total_count: 125 })
  })

  test('[A10] an offset past the end returns no items and the total count', async ({ assert }) => {
    assert.deepEqual(await list('offset=125'), { data: [], total_count: 125 })
    assert.deepEqual(await list('offset=99999999999999999999&limit=1000'), {
      data: [],
      total_count: 125,
    })
  })

  test('[A11, S2] page without itemsPerPage returns 10 items and the metadata of the page', async ({
    assert,
  }) => {
    const { data, ...rest } = await list('page=2')
    assert.lengthOf(data, 10)
    assert.deepEqual(rest, { total_count: 125, has_more: true, page: 2, items_per_page: 10 })
    assert.deepEqual(await titles('page=1'), numbers(1, 10))
    assert.deepEqual(await titles('page=13'), numbers(121, 125))
  })

  test('[A11] itemsPerPage without page returns page 1', async ({ assert }) => {
    const { data, ...rest } = await list('itemsPerPage=50')
    assert.lengthOf(data, 50)
    assert.deepEqual(rest, { total_count: 125, has_more: true, page: 1, items_per_page: 50 })
  })

  test('[A11] pages together with offsets are 400 "Conflicting parameters"')
    .with([
      'page=1&offset=0',
      'page=1&limit=5',
      'itemsPerPage=5&offset=0',
      'itemsPerPage=5&limit=0',
    ])
    .run(async ({ assert }, query) => {
      const { status, headers, body } = await get(`/api/memos?${query}`)
      assert.equal(status, 400)
      assert.match(headers.get('content-type')!, /^application\/problem\+json/)
      assert.match(body.detail, /^Conflicting parameters/)
    })

  test('[A12] a page past the end is empty without an error')
    .with(['page=14', 'page=1000', 'page=9007199254740993', `page=${'9'.repeat(60)}`])
    .run(async ({ assert }, query) => {
      const { status, body } = await get(`/api/memos?${query}`)
      assert.equal(status, 200)
      assert.include(body, { total_count: 125, has_more: false, items_per_page: 10 })
      assert.deepEqual(body.data, [])
    })

  test('[A12] has_more is false on a last page that is full', async ({ assert }) => {
    const more = async (query: string) => {
      const { has_more: hasMore } = await list(query)
      return hasMore
    }
    assert.isTrue(await more('page=4&itemsPerPage=25'))
    assert.isFalse(await more('page=5&itemsPerPage=25'))
    assert.isTrue(await more('page=1&itemsPerPage=124'))
    assert.isFalse(await more('page=1&itemsPerPage=125'))
    assert.isFalse(await more('page=1&itemsPerPage=126'))
  })

  test('[A13] a list with {$self} is a 422 that names the parameter')
    .with([
      'offset=-1',
      'limit=-1',
      'page=-1',
      'page=0',
      'itemsPerPage=0',
      'limit=1.5',
      'page=one',
      'page=1e1',
      'offset=0x1',
      'page=1&page=1',
      'limit[]=1',
      'page[number]=1',
      'limit=1;drop table memos',
      'limit=1 union select 1',
    ])
    .run(async ({ assert }, query) => {
      const { status, body } = await get(`/api/memos?${query}`)
      assert.equal(status, 422)
      assert.deepEqual(
        body.errors.map((error: { field: string }) => error.field),
        [/^\w+/.exec(query)![0]]
      )
    })

  test('[A13] an empty parameter counts as absent', async ({ assert }) => {
    assert.deepEqual(await list('page=&itemsPerPage=&limit=&offset='), await list(''))
    assert.deepEqual(await list('page=2&offset='), await list('page=2'))
    assert.deepEqual(await list('offset=5&page='), await list('offset=5'))
  })

  test('[A11, A13] random page sizes return the same pages as an in-memory list', async ({
    assert,
  }) => {
    const all = numbers(1, 125)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 140 }),
        async (page, size) => {
          const { data, ...rest } = await list(`page=${page}&itemsPerPage=${size}`)
          assert.deepEqual(
            data.map((memo: { title: string }) => memo.title),
            all.slice((page - 1) * size, page * size)
          )
          assert.deepEqual(rest, {
            total_count: 125,
            has_more: page * size < 125,
            page,
            items_per_page: size,
          })
        }
      ),
      { numRuns: runs(60) }
    )
  })

  test('[A13, A25] HEAD has the status of GET without a body, for a valid and for an invalid page', async ({
    assert,
  }) => {
    const [good, bad] = await Promise.all([
      call('HEAD', '/api/memos?page=1'),
      call('HEAD', '/api/memos?page=0'),
    ])
    assert.deepEqual([good.status, good.text], [200, ''])
    assert.deepEqual([bad.status, bad.text], [422, ''])
  })

  test('a list runs two statements, and only one if no items are requested', async ({ assert }) => {
    for (const query of ['', 'page=2&sort=-title', 'page=99']) {
      assert.lengthOf(await queriesOf(() => get(`/api/memos?${query}`)), 2)
    }
    const statements = await queriesOf(() => get('/api/memos?limit=0'))
    assert.lengthOf(statements, 1)
    assert.match(statements[0], /count\(/)
  })
})

test.group('Paging | maximum', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(async () => {
    await clear()
    await fill(1005)
    return clear
  })

  test('[A13] an itemsPerPage over 1,000 is reduced to 1,000, as items_per_page in the response shows', async ({
    assert,
  }) => {
    const { data, ...rest } = await list('itemsPerPage=5000')
    assert.lengthOf(data, 1000)
    assert.deepEqual(rest, { total_count: 1005, has_more: true, page: 1, items_per_page: 1000 })
    assert.deepEqual(await titles('itemsPerPage=5000&page=2'), numbers(1001, 1005))
    assert.lengthOf(await titles('limit=1001'), 1000)
    assert.lengthOf(await titles(`limit=${'9'.repeat(60)}`), 1000)
  })

  test('[A10, A11, A13] the default sizes and the maximum size are configurable', async ({
    assert,
    cleanup,
  }) => {
    const before = app.config.get<CrudConfig>('crud').pagination
    cleanup(() => app.config.set('crud.pagination', before))
    app.config.set('crud.pagination', { limit: 7, itemsPerPage: 3, maximum: 20 })
    assert.lengthOf(await titles(''), 7)
    assert.lengthOf(await titles('page=1'), 3)
    assert.lengthOf(await titles('limit=100'), 20)
    assert.include(await list('itemsPerPage=100'), { items_per_page: 20 })
  })
})

test.group('Paging | far from the start', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(async () => {
    await clear()
    /* Three memos share a title, and one of 25 is deleted. */
    const memos = Array.from({ length: 2345 }, (_, index) => ({
      title: String(Math.floor(index / 3)).padStart(4, '0'),
      is_deleted: index % 25 === 0,
    }))
    for (let start = 0; start < memos.length; start += 200) {
      await db.table('memos').multiInsert(memos.slice(start, start + 200))
    }
    return clear
  })

  test('[A10, A14] far pages contain the same items in the same order as the cursor', async ({
    assert,
  }) => {
    for (const sort of ['title', '-title', '-is_deleted,title', 'id']) {
      const ids: number[] = []
      let cursor = ''
      do {
        const { data, next_cursor: next } = await list(`sort=${sort}&cursor=${cursor}&limit=1000`)
        ids.push(...data.map(({ id }: { id: number }) => id))
        cursor = next
      } while (cursor)
      for (const [offset, limit] of [
        [999, 7],
        [1000, 7],
        [1124, 3],
        [1170, 50],
        [2240, 100],
        [2340, 100],
        [2345, 10],
        [5000, 10],
      ]) {
        const { data, total_count: total } = await list(
          `sort=${sort}&offset=${offset}&limit=${limit}`
        )
        const found = data.map(({ id }: { id: number }) => id)
        assert.deepEqual(found, ids.slice(offset, offset + limit), `${sort} ${offset} ${limit}`)
        assert.equal(total, ids.length)
      }
      const last = await list(`sort=${sort}&page=${Math.ceil(ids.length / 10)}`)
      assert.deepEqual(
        last.data.map(({ id }: { id: number }) => id),
        ids.slice(Math.floor((ids.length - 1) / 10) * 10)
      )
      assert.isFalse(last.has_more)
    }
  })

  test('the last page of a list is read from the end', async ({ assert }) => {
    const queries = await queriesOf(() => list('sort=title&offset=2000'))
    const rows = queries.filter((sql) => !sql.includes('count(*)'))
    assert.lengthOf(rows, 1)
    assert.match(rows[0], /order by .*title.* desc/s)
  })
})

test.group('Paging | empty tables', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.setup(clear)

  test('[S2, A12] an empty table returns an empty list', async ({ assert }) => {
    assert.deepEqual(await list(''), { data: [], total_count: 0 })
    assert.deepEqual(await list('page=1'), {
      data: [],
      total_count: 0,
      has_more: false,
      page: 1,
      items_per_page: 10,
    })
  })
})
