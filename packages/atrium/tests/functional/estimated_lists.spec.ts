import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud } from '#crud'
import { Resource } from '#crud/resource/resource'
import { strange } from '#tests/helpers/actors'
import { onMysql } from '#tests/helpers/databases'
import { Specimen } from '#tests/fixtures/lists'
import { get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'

const ROWS = 24_000

async function store(rows: Array<Record<string, unknown>>) {
  for (let start = 0; start < rows.length; start += 500) {
    await db.table('specimens').multiInsert(rows.slice(start, start + 500) as never)
  }
}

async function clear() {
  await db.from('specimens').delete()
}

test.group('Estimated lists', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    await clear()
    await store(
      Array.from({ length: ROWS }, (_, index) => ({ label: `l${index % 2}`, amount: index }))
    )
    return clear
  })

  test('[Q5.1] count=estimate estimates the total of a long list and marks it as an estimate', async ({
    assert,
  }) => {
    const { body, headers } = await get('/api/specimens?count=estimate&page=1&itemsPerPage=10')
    assert.deepEqual(Object.keys(body), [
      'data',
      'total_count',
      'total_is_estimate',
      'has_more',
      'page',
      'items_per_page',
    ])
    assert.isTrue(body.total_is_estimate)
    assert.approximately(body.total_count, ROWS, ROWS / 10)
    assert.isTrue(body.has_more)
    assert.equal(headers.get('x-total-count'), String(body.total_count))
    assert.equal(headers.get('x-total-is-estimate'), 'true')
  })

  test('[Q5.1] an estimated total is not biased by patterns of the data, and is the same on each page', async ({
    assert,
  }) => {
    const read = async (page: number) => {
      const { body } = await get(`/api/specimens?count=estimate&page=${page}&label__eq=l1`)
      return body.total_count
    }
    assert.approximately(await read(1), ROWS / 2, ROWS / 20)
    assert.equal(await read(1), await read(5))
  })

  test('[Q5.1] the last page of an estimated list is the end of the list', async ({ assert }) => {
    const list = '/api/specimens?count=estimate&itemsPerPage=10'
    const first = await get(`${list}&page=1`)
    const { total_count: total } = first.body
    const { body } = await get(`${list}&page=${Math.ceil(total / 10)}`)
    const rows = (total - 1) % 10
    const last = await db
      .from('specimens')
      .orderBy('id', 'desc')
      .limit(rows + 1)
      .select('id')
    assert.deepEqual(
      body.data.map(({ id }: any) => id),
      last.map(({ id }) => Number(id)).reverse()
    )
    assert.isFalse(body.has_more)
  })

  test('[Q5.1] a short list is counted, with one statement', async ({ assert }) => {
    const path = '/api/specimens?count=estimate&limit=5&amount__lt=10'
    let response: Awaited<ReturnType<typeof get>>
    const statements = await queriesOf(async () => void (response = await get(path)))
    assert.include(response!.body, { total_count: 10, total_is_estimate: false })
    assert.isNull(response!.headers.get('x-total-is-estimate'))
    assert.lengthOf(statements, 2)
  })

  test('[Q5] an unknown value of count is refused, and so is an estimate with a cursor', async ({
    assert,
  }) => {
    const unknown = await get('/api/specimens?count=some')
    assert.equal(unknown.status, 422)
    const cursor = await get('/api/specimens?cursor=&count=estimate')
    assert.equal(cursor.status, 400)
  })

  test('[Q5.1] the total of a table whose keys are far apart is counted, or estimated by the database', async ({
    assert,
  }) => {
    await clear()
    await store(Array.from({ length: 500 }, (_, index) => ({ id: 1 + index * 4_000_000 })))
    const crud = new LucidCrud(Specimen)
    assert.equal(await crud.count({}), 500)
    const { reader } = crud.resource
    const client = Specimen.query().client
    const { total } = await reader.counts.upTo(client, { where: [] }, 100)
    assert.isAtLeast(total, 101)
    const few = await reader.counts.upTo(client, { where: [] }, 500)
    assert.deepEqual(few, { total: 500, isEstimate: false })
  })

  test('[Q5.1] an estimate does not depend on rows that the scope hides', async ({ assert }) => {
    const actor = strange({ kind: 'token', user: 'anna' })
    const resource = new Resource({ model: Specimen, scope: (rows) => rows.whereNotNull('label') })
    const crud = new LucidCrud(Specimen).bind(resource)
    const read = async () => {
      const list = await crud.getMulti({ count: 'estimate', limit: 1 }, { actor })
      return [list.total_count, list.total_is_estimate]
    }
    await clear()
    const shown = Array.from({ length: 12_000 }, (_, index) => ({ id: index + 1, label: 'shown' }))
    await store(shown)
    const dense = await read()
    assert.isTrue(dense[1])
    await store([{ id: 2_000_000_000 }])
    assert.deepEqual(await read(), dense)

    /* Too few of the sampled keys are found, and the planner knows the hidden rows. */
    await db.from('specimens').where('id', 12_000).update({ id: 1_900_000_000 })
    await store(Array.from({ length: 6000 }, (_, index) => ({ id: 1_000_000 + index })))
    await db.rawQuery(onMysql ? 'analyze table specimens' : 'analyze specimens')
    assert.deepEqual(await read(), [12_000, false])
  })
})
