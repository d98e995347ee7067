import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { LucidCrud } from '#crud'
import { Resource } from '#crud/resource/resource'
import { Specimen } from '#tests/fixtures/lists'
import { get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

const ROWS = 2300
const SPECIMENS = ['label', 'shade', 'amount', 'weight', 'fresh', 'day', 'moment', 'clock', 'id']

/** Every value occurs many times, null among them. */
function specimen(index: number) {
  const among = <Value>(values: readonly Value[], step: number) =>
    values[Math.floor(index / step) % values.length]
  return {
    label: among([null, 'a', 'B', 'ä', 'b', 'A'], 7),
    shade: among(['Red', 'red', null, 'blue'], 3),
    amount: among([null, 3, -1, '9007199254740993', '9007199254740992'], 11),
    weight: among([0.5, null, -2.25, 10], 13),
    fresh: among([true, null, false], 5),
    day: among(['2000-01-01', null, '1999-12-31'], 17),
    moment: among(['2000-01-01 00:00:00', '2000-01-01 00:00:00.250', null], 19),
    clock: among(['10:00:00', '09:59:00', null], 23),
  }
}

async function store(table: string, rows: ReadonlyArray<Record<string, unknown>>) {
  for (let start = 0; start < rows.length; start += 100) {
    await db.table(table).multiInsert(rows.slice(start, start + 100) as never)
  }
}

async function clear() {
  for (const table of ['specimens', 'inc_albums', 'inc_labels', 'tracks']) {
    await db.from(table).delete()
  }
}

async function read(path: string, query: string) {
  const { body, status, text } = await get(`/api/${path}?${query}`)
  if (status !== 200) throw new Error(text)
  return body
}

test.group('Deep pages', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    await clear()
    await store(
      'specimens',
      Array.from({ length: ROWS }, (_, index) => specimen(index))
    )
    await store(
      'inc_labels',
      Array.from({ length: ROWS }, (_, index) => ({
        code: `c${index}`,
        name: `label ${Math.floor(index / 4) % 9}`,
        deleted_at: index % 25 === 0 ? '2026-01-01 00:00:00' : null,
      }))
    )
    await store(
      'inc_albums',
      Array.from({ length: ROWS }, (_, index) => ({
        title: `album ${index}`,
        label_code: `c${index}`,
      }))
    )
    await store(
      'tracks',
      Array.from({ length: ROWS }, (_, index) => ({
        title: `t${index % 50}`,
        duration: index % 3 === 0 ? null : index % 7,
      }))
    )
    return clear
  })

  test('[A10, A14] every deep page equals the same page read without a count', async ({
    assert,
  }) => {
    const sorts = (names: string[]) =>
      fc
        .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.boolean()), {
          maxLength: 3,
          selector: ([name]) => name,
        })
        .map((order) => order.map(([name, down]) => (down ? '-' : '') + name).join(','))
    const lists = fc.oneof(
      fc.tuple(
        fc.constant('specimens'),
        sorts(SPECIMENS),
        fc.constantFrom('', '&amount__in=3,-1,9007199254740993', '&id__gte=40', '&fields=label,day')
      ),
      fc.tuple(
        fc.constant('inc-labels'),
        sorts(['code', 'label_name', 'id']),
        fc.constantFrom('', '&include=albums', '&deleted=include', '&deleted=only')
      ),
      fc.tuple(
        fc.constantFrom('timed-tracks', 'self-made-tracks'),
        sorts(['title', 'duration']),
        fc.constant('')
      )
    )
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.integer({ min: 900, max: ROWS + 50 }),
        fc.integer({ min: 0, max: 120 }),
        async ([path, sort, more], offset, limit) => {
          const query = `${sort && `sort=${sort}&`}offset=${offset}&limit=${limit}${more}`
          const { data, total_count: total } = await read(path, query)
          const { data: plain } = await read(path, `${query}&count=false`)
          assert.deepEqual(data, plain, `${path}?${query}`)
          assert.equal(data.length, Math.max(0, Math.min(limit, total - offset)))
        }
      ),
      { numRuns: runs(200) }
    )
  })

  test('[A10, P14] deep pages within a scope contain the same items as pages that are read without a count', async ({
    assert,
  }) => {
    const resource = new Resource({
      model: Specimen,
      scope: (query) => query.where('amount', 3).orWhereNull('amount').orWhere('fresh', true),
    })
    const crud = new LucidCrud(Specimen).bind(resource)
    for (const sort of ['', 'shade,-day', '-moment']) {
      for (const offset of [1000, 1100, 1290]) {
        const query = { sort, offset, limit: 9 }
        const { data, total_count: total } = await crud.getMulti(query)
        const { data: plain } = await crud.getMulti({ ...query, count: false })
        assert.isAbove(total!, 1300)
        assert.isBelow(total!, ROWS)
        assert.lengthOf(data, 9)
        assert.deepEqual(data, plain)
      }
    }
  })

  test('[A11] the last pages are read from the end of the list: {$self}')
    .with([
      ['specimens', 'specimens', 'sort=-day,label'],
      ['inc-labels', 'inc_labels', 'sort=label_name&include=albums'],
      ['timed-tracks', 'tracks', 'sort=title'],
    ])
    .run(async ({ assert }, [path, table, query]) => {
      const { total_count: total } = await read(path, `${query}&page=1`)
      const last = `${query}&page=${Math.ceil(total / 10)}`
      const statements = await queriesOf(() => read(path, last))
      const [rows] = statements.filter(
        (sql) => !sql.includes('count(*)') && new RegExp(`from .${table}.`).test(sql)
      )
      assert.notMatch(rows, /offset/)
      assert.match(rows, /.id. desc/)
      const { has_more: hasMore } = await read(path, last)
      assert.isFalse(hasMore)
    })
})
